package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which bucket a call takes from, as the rows of the policy say it: levels, costs, modes, methods and overrides. */
@Timeout(60)
class LevelsTest {

    private static final String SLOW = "INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('slow', 0.001, 2)";
    private static final String T1_SLOW = "UPDATE tool SET tier = 'slow' WHERE name = 'T1'";

    @TempDir
    Path directory;

    private @Nullable StubUpstream upstream;
    private @Nullable RunningWeir weir;
    private @Nullable Wire wire;

    private void start(String... edits) throws Exception {
        upstream = new StubUpstream(
                (request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}"));
        weir = RunningWeir.startWith(List.of(edits), directory, upstream.base());
        wire = weir().wire();
    }

    @AfterEach
    void stop() throws IOException {
        if (wire != null) {
            wire.close();
        }
        if (weir != null) {
            weir.close();
        }
        if (upstream != null) {
            upstream.close();
        }
    }

    private RunningWeir weir() {
        return Objects.requireNonNull(weir);
    }

    private StubUpstream upstream() {
        return Objects.requireNonNull(upstream);
    }

    private Wire wire() {
        return Objects.requireNonNull(wire);
    }

    private String ask(String key, String body) throws IOException {
        wire().send(post(key, body));
        return wire().answer().body();
    }

    private static String method(String method) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{\"name\":\"p\"}}";
    }

    /** How many of these are let through. */
    private int passed(String key, String body, int calls) throws IOException {
        int passed = 0;
        for (int i = 0; i < calls; i++) {
            passed += ask(key, body).contains("\"result\"") ? 1 : 0;
        }
        return passed;
    }

    @Test
    void aRoutesLimitIsSharedByAllClientsAndIsNobodysFault() throws Exception {
        start("UPDATE route SET rate_per_second = 0.001, burst = 4", "UPDATE tool_tier SET burst = 100");
        assertThat(passed(K1, call(1, "T1"), 3)).isEqualTo(3);
        assertThat(passed(K2, call(1, "T1"), 20)).isEqualTo(1);
        assertThat(ask(K1, call(1, "T1")))
                .contains("\"level\":\"route\"")
                .contains("the limit of all callers together")
                .doesNotContain("strikes")
                .contains("-32029");
    }

    @Test
    void theGlobalLimitIsSharedByAll() throws Exception {
        start(
                "INSERT INTO setting (name, content) VALUES ('global.requests_per_second', '0.001')",
                "INSERT INTO setting (name, content) VALUES ('global.burst', '3')");
        assertThat(passed(K1, call(1, "T1"), 2)).isEqualTo(2);
        assertThat(passed(K2, call(1, "T1"), 20)).isEqualTo(1);
        assertThat(ask(K1, call(1, "T1"))).contains("\"level\":\"global\"").doesNotContain("strikes");
    }

    @Test
    void aCallThatIsRefusedAtAWideLevelLeavesTheToolsBucketAlone() throws Exception {
        start(
                SLOW,
                T1_SLOW,
                "INSERT INTO setting (name, content) VALUES ('channel.requests_per_second', '2')",
                "INSERT INTO setting (name, content) VALUES ('channel.burst', '1')",
                "INSERT INTO setting (name, content) VALUES ('ban.threshold', '1000')");
        int refused = 0;
        int passed = 0;
        while (passed < 2) {
            String answer = ask(K1, call(1, "T1"));
            passed += answer.contains("\"result\"") ? 1 : 0;
            refused += answer.contains("\"level\":\"channel\"") ? 1 : 0;
        }
        assertThat(refused).as("calls refused by the channel").isPositive();
        String third = ask(K1, call(1, "T1"));
        assertThat(third)
                .as("two tokens have let two calls in, however many were refused")
                .contains("-32029");
    }

    @Test
    void aDearToolCostsSoManyTokens() throws Exception {
        start(
                "INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('dear', 0.001, 10)",
                "UPDATE tool SET tier = 'dear', cost = 4 WHERE name = 'T1'");
        assertThat(passed(K1, call(1, "T1"), 9)).isEqualTo(2);
    }

    @Test
    void aClientMayHaveATierOfItsOwnOnATool() throws Exception {
        start(
                SLOW,
                T1_SLOW,
                "INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('more', 0.001, 6)",
                "INSERT INTO client_tool (client, route, tool, tier) VALUES ('c2', '/mcp', 'T1', 'more')");
        assertThat(passed(K1, call(1, "T1"), 7)).isEqualTo(2);
        assertThat(passed(K2, call(1, "T1"), 10)).isEqualTo(6);
        assertThat(ask(K2, call(1, "T1"))).contains("\"tier\":\"more\"");
    }

    @Test
    void aClientMayBeForbiddenAToolAndThatIsNoStrike() throws Exception {
        start("INSERT INTO client_tool (client, route, tool, allowed) VALUES ('c2', '/mcp', 'T1', FALSE)");
        for (int i = 0; i < 20; i++) {
            assertThat(ask(K2, call(1, "T1")))
                    .contains("-32031")
                    .contains("Tool [T1] may not be called by this client")
                    .contains("\"reason\":\"forbidden\"");
        }
        assertThat(passed(K1, call(1, "T1"), 1)).isOne();
    }

    @Test
    void aMethodThatRunsCodeMayBeGivenATierOfItsOwn() throws Exception {
        start(
                SLOW,
                "INSERT INTO tool (route, kind, name, tier) VALUES ('/mcp', 'method', 'prompts/get', 'slow')",
                "INSERT INTO tool (route, kind, name, tier, enabled) VALUES ('/mcp', 'method', 'odd/one', 'slow', FALSE)",
                "INSERT INTO tool (route, kind, name, tier) VALUES ('/mcp', 'tool', 'prompts/get', 'slow')");
        assertThat(passed(K1, method("prompts/get"), 3)).isEqualTo(2);
        assertThat(ask(K1, method("prompts/get")))
                .contains("Method [prompts/get] rate limit exceeded")
                .contains("\"level\":\"method\"")
                .contains("\"method\":\"prompts/get\"")
                .contains("\"strikes\":");
        assertThat(passed(K1, call(1, "prompts/get"), 3))
                .as("a tool of the same name has a bucket of its own")
                .isEqualTo(2);
        String other = method("resources/read").replace("\"name\"", "\"uri\"");
        assertThat(passed(K1, other, 9)).isEqualTo(9);
        assertThat(ask(K1, method("odd/one"))).contains("-32031").contains("switched off");
    }

    @Test
    void aTierThatIsOffLimitsNothing() throws Exception {
        start("UPDATE tool_tier SET mode = 'off', rate_per_second = 0, burst = 0 WHERE name = 'heavy'");
        assertThat(passed(K1, call(1, "T1"), 30)).isEqualTo(30);
    }

    @Test
    void aRateOfZeroBlocksAndNamesNoTime() throws Exception {
        start("UPDATE tool_tier SET rate_per_second = 0, burst = 0 WHERE name = 'heavy'");
        wire().send(post(K1, call(1, "T1")));
        Wire.Answer answer = wire().answer();
        assertThat(answer.body())
                .contains("-32029")
                .contains("No call is admitted here until an operator changes the limit")
                .doesNotContain("retryAfterMs");
        assertThat(answer.head().values("Retry-After")).isEmpty();
    }

    /** Case O09: no spelling of a name is a way around a limit, and none has a bucket of its own. */
    @Test
    void allSpellingsThatAreNotRegisteredShareOneBucket() throws Exception {
        start(
                SLOW,
                T1_SLOW,
                "UPDATE tool_tier SET rate_per_second = 0.001, burst = 5 WHERE name = 'standard'",
                "INSERT INTO setting (name, content) VALUES ('ban.threshold', '1000')");
        assertThat(passed(K1, call(1, "T1"), 3)).isEqualTo(2);
        List<String> spellings =
                List.of("t1", "T1 ", " T1", "T1\\u200b", "\\uff341", "T1\\u0000", "e\\u0301", "\\u00e9", "T\\u0031x");
        int passed = 0;
        for (String spelling : spellings) {
            passed += passed(K1, call(1, spelling), 3);
        }
        assertThat(passed).isEqualTo(5);
        assertThat(ask(K1, call(1, "\\u0054\\u0031")))
                .as("an escaped T1 is T1")
                .contains("Tool [T1] rate limit exceeded");
    }

    @Test
    void toolsThatAreNotRegisteredMayBeRefused() throws Exception {
        start("INSERT INTO setting (name, content) VALUES ('unregistered_tools', 'refuse')");
        assertThat(ask(K1, call(1, "t1"))).contains("-32031").contains("is not registered at this gateway");
        assertThat(passed(K1, call(1, "T1"), 1)).isOne();
    }

    /** Case O10: a call in the form of a notification costs what a call costs, and is never answered. */
    @Test
    void aCallWithoutAnIdIsChargedLikeAnyCall() throws Exception {
        start(SLOW, T1_SLOW);
        for (int i = 0; i < 20; i++) {
            wire().send(post(K1, call(1, "T1").replace("\"id\":1,", "")));
            Wire.Answer answer = wire().answer();
            if (i >= 2) {
                assertThat(answer.status()).isEqualTo(202);
                assertThat(answer.body()).isEmpty();
            }
        }
        assertThat(upstream().received()).hasSize(2);
        assertThat(ask(K1, call(1, "T1"))).contains("-32029");
    }

    /** Case O13: what a client has to say to be able to work touches no tool's bucket and never brings a ban. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "initialize",
                "tools/list",
                "prompts/list",
                "resources/list",
                "resources/templates/list",
                "ping",
                "logging/setLevel"
            })
    void theHandshakeNeverTouchesAToolAndNeverBans(String method) throws Exception {
        start(
                SLOW,
                T1_SLOW,
                "INSERT INTO setting (name, content) VALUES ('channel.requests_per_second', '100')",
                "INSERT INTO setting (name, content) VALUES ('channel.burst', '5')");
        int throttled = 0;
        for (int i = 0; i < 40; i++) {
            String answer = ask(K1, method(method));
            assertThat(answer).doesNotContain("strikes").doesNotContain("banned");
            throttled += answer.contains("-32029") ? 1 : 0;
        }
        assertThat(throttled).as("refused by the channel").isLessThan(40);
        assertThat(passed(K2, call(1, "T1"), 3)).isEqualTo(2);
    }
}
