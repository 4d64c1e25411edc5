package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.web.RequestLog;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Who is banned, who is not, and for how long, as clients see it. T1 gives five calls and then none for a long time. */
@Timeout(120)
class BanTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";

    @TempDir
    Path directory;

    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
        weir = RunningWeir.start(directory, upstream.base());
        restart("UPDATE tool_tier SET rate_per_second = 0.001, cooldown_seconds = 0 WHERE name = 'heavy'");
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    /** Runs SQL and starts anew, so that what it says is in force from the first call on. */
    private void restart(String... statements) throws Exception {
        for (String statement : statements) {
            weir.sql(statement);
        }
        weir.close();
        weir = RunningWeir.start(directory, upstream.base());
    }

    private static String setting(String name, Object content) {
        return "INSERT INTO setting (name, content) VALUES ('" + name + "', '" + content + "')";
    }

    private static JsonNode ask(Wire wire, String key, String body) throws IOException {
        wire.send(post(key, body));
        return JSON.readTree(wire.answer().body());
    }

    /** Calls T1 one after the other on one connection; answers the code of each, 0 for a result. */
    private List<Integer> loop(String key, int calls) throws IOException {
        List<Integer> codes = new ArrayList<>();
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < calls; i++) {
                codes.add(
                        ask(wire, key, call(i, "T1")).path("error").path("code").asInt(0));
            }
        }
        return codes;
    }

    /** Calls a tool on many connections before any answer can have come; answers all that came. */
    private List<JsonNode> atOnce(String key, int calls, String tool) throws IOException {
        List<Wire> wires = new ArrayList<>();
        try {
            for (int i = 0; i < calls; i++) {
                wires.add(weir.wire());
            }
            for (Wire wire : wires) {
                wire.send(post(key, call(1, tool)));
            }
            List<JsonNode> answers = new ArrayList<>();
            for (Wire wire : wires) {
                answers.add(JSON.readTree(wire.answer().body()));
            }
            return answers;
        } finally {
            for (Wire wire : wires) {
                wire.close();
            }
        }
    }

    /** The bans of a principal, the oldest first: the escalation of each and how many seconds it lasts. */
    private List<String> bans(String principal) {
        return weir.database()
                .withHandle(handle -> handle.createQuery("SELECT escalation || ': '"
                                + " || CAST(EXTRACT(EPOCH FROM expires_at) - EXTRACT(EPOCH FROM started_at) AS INT)"
                                + " FROM ban WHERE principal = ? ORDER BY escalation, started_at")
                        .bind(0, principal)
                        .mapTo(String.class)
                        .list());
    }

    @Test
    void twelveCallsInARowAreFiveResultsFiveThrottlesAndABan() throws Exception {
        long start = System.nanoTime();
        assertThat(loop(K1, 12)).containsExactly(0, 0, 0, 0, 0, -32029, -32029, -32029, -32029, -32029, -32030, -32030);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .as("each throttle is held back")
                .isGreaterThan(Duration.ofMillis(250));
        assertThat(bans("client:c1")).containsExactly("0: 900");
    }

    @Test
    void theEvidenceOfABanTellsThatCallsWereAlikeAndNotWhatTheySaid() throws Exception {
        String same = call(1, "T1").replace("\"arguments\":{}", "\"arguments\":{\"password\":\"hunter2\"}");
        String other = same.replace("hunter2", "hunter3");
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < 12; i++) {
                ask(wire, K1, i == 7 ? other : same);
            }
        }
        await().until(() -> bans("client:c1").size() == 1);
        String evidence = weir.database()
                .withHandle(handle -> handle.createQuery("SELECT CAST(evidence AS VARCHAR) FROM ban")
                        .mapTo(String.class)
                        .one());
        List<String> digests = new ArrayList<>();
        JSON.readTree(evidence)
                .forEach(strike -> digests.add(strike.path("arguments").asString()));
        assertThat(digests).hasSize(6).allMatch(digest -> digest.matches("[0-9a-f]{16}"));
        assertThat(new HashSet<>(digests)).hasSize(2);
        assertThat(digests.get(0)).isEqualTo(digests.get(1)).isNotEqualTo(digests.get(2));
        assertThat(evidence).doesNotContain("hunter", "password");
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 40})
    void callsFiredOffAtOnceOnManyConnectionsAreThrottledAndNeverBanned(int calls) throws Exception {
        // Whatever is slow only the first time is done before it counts, because the calls have to arrive together.
        atOnce(K2, 40, "echo");
        List<JsonNode> throttled = atOnce(K1, calls, "T1").stream()
                .filter(answer -> answer.has("error"))
                .toList();
        assertThat(throttled)
                .hasSize(calls - 5)
                .extracting(answer -> answer.path("error").path("code").asInt())
                .containsOnly(-32029);
        assertThat(bans("client:c1")).isEmpty();
        assertThat(loop(K1, 6)).as("from then on each is a strike").endsWith(-32030);
    }

    @Test
    void whereEveryThrottleCountsCallsAtOnceAreABanAndNoAnswerIsHeldBack() throws Exception {
        restart(setting("ban.count", "every"));
        assertThat(atOnce(K1, 12, "T1"))
                .filteredOn(answer -> answer.path("error").path("code").asInt() == -32030)
                .isNotEmpty();
        assertThat(bans("client:c1")).hasSize(1);
    }

    @Test
    void theAnswerOfAClientThatHasLeftCountsAsWritten() throws Exception {
        // Each on a tool of its own, because of refusals that are alike only the first has a line.
        restart("INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'T2', 'heavy'), ('/mcp', 'T3', 'heavy')");
        for (String tool : List.of("T1", "T2", "T3")) {
            try (Wire wire = weir.wire()) {
                for (int i = 0; i < 5; i++) {
                    ask(wire, K1, call(i, tool));
                }
            }
        }
        try (LogLines lines = new LogLines(RequestLog.class)) {
            for (int strikes = 1; strikes <= 3; strikes++) {
                int known = strikes;
                try (Wire wire = weir.wire()) {
                    wire.send(post(K1, call(1, "T" + strikes)));
                    await().until(() ->
                            Scrape.of(weir).value("weir_decisions_total{decision=\"throttle\",level=\"tool\"}")
                                    >= known);
                    wire.leave();
                }
                await().until(() -> lines.of("request_end").stream()
                                .filter(line -> LogLines.field(line, "decision").equals("throttle"))
                                .count()
                        == known);
            }
        }
        try (Wire wire = weir.wire()) {
            JsonNode data = ask(wire, K1, call(1, "T1")).path("error").path("data");
            assertThat(data.path("strikes").asInt()).isEqualTo(4);
        }
    }

    /** O54. */
    @Test
    void anotherClientAtTheSameAddressIsNotTouchedByABanNorByGuessers() throws Exception {
        assertThat(loop(K1, 12)).endsWith(-32030, -32030);
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < 30; i++) {
                wire.send(post("guess-" + i, call(i, "T1")));
                assertThat(wire.answer().status()).isIn(401, 429);
                wire.send(post("", call(i, "T1")).replace("Authorization: Bearer \r\n", ""));
                assertThat(wire.answer().status()).isIn(401, 429);
            }
        }
        assertThat(loop(K2, 10))
                .as("five results and five throttles are no ban")
                .containsExactly(0, 0, 0, 0, 0, -32029, -32029, -32029, -32029, -32029);
        List<String> banned = weir.database()
                .withHandle(handle -> handle.select("SELECT principal FROM ban")
                        .mapTo(String.class)
                        .list());
        assertThat(banned).containsExactly("client:c1");
        assertThat(loop(K2, 1)).as("the sixth is one").containsExactly(-32030);
    }

    /** O54, with a window of a second. */
    @Test
    void theSixthThrottleAfterTheWindowIsNoBan() throws Exception {
        restart(setting("ban.window_seconds", 1));
        loop(K1, 5);
        long first = System.nanoTime();
        assertThat(loop(K1, 5)).containsOnly(-32029);
        await().pollInterval(10, TimeUnit.MILLISECONDS).until(() -> System.nanoTime() - first > 1_200_000_000L);
        assertThat(loop(K1, 1)).containsExactly(-32029);
    }

    /** O54. */
    @Test
    void anAnonymousCallerThatIsBannedTakesNobodyWithAKeyAtItsAddressAlong() throws Exception {
        weir.close();
        weir = RunningWeir.start(directory, upstream.base(), "mcp.auth.required", "false");
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < 12; i++) {
                wire.send(post("", call(i, "T1")).replace("Authorization: Bearer \r\n", ""));
                assertThat(wire.answer().body()).contains(i < 5 ? "result" : i < 10 ? "-32029" : "-32030");
            }
        }
        assertThat(loop(K1, 1)).containsExactly(0);
    }

    /** O44. */
    @Test
    void aBanSaysHowLongItStillLastsAndLetsInWhoeverWaitsSoLong() throws Exception {
        restart(setting("ban.duration_seconds", 2), setting("ban.threshold", 0));
        loop(K1, 5);
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, call(1, "T1")));
            Wire.Answer answer = wire.answer();
            long told = Long.parseLong(answer.head().values("Retry-After").get(0));
            assertThat(told).isBetween(1L, 2L);
            JsonNode error = JSON.readTree(answer.body()).path("error");
            assertThat(error.path("message").asString())
                    .matches("Client is banned from tool calls for another [12]s after 1 throttles in 10s on .*");
            long wait = error.path("data").path("retryAfterMs").asLong();
            assertThat(wait).isBetween(1L, 2_000L);

            long start = System.nanoTime();
            int code = 0;
            do {
                wire.send(post(K1, call(1, "echo")));
                Wire.Answer again = wire.answer();
                code = JSON.readTree(again.body()).path("error").path("code").asInt(0);
                if (code != 0) {
                    assertThat(Long.parseLong(again.head().values("Retry-After").get(0)))
                            .isBetween(1L, told);
                }
            } while (code != 0);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(wait + 500));
        }
    }

    @Test
    void aBanOfScopeAllShutsEverythingAndANarrowerOneBehindItHoldsOn() throws Exception {
        restart(setting("ban.scope", "all"), setting("ban.threshold", 1), setting("ban.duration_seconds", 2));
        assertThat(loop(K1, 7)).endsWith(-32029, -32030);
        weir.sql("INSERT INTO ban (principal, expires_at) VALUES ('client:c1', TIMESTAMP '2999-01-01 00:00:00')");
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, LIST));
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.body()).contains("Client is banned for another");
            await().untilAsserted(() -> {
                wire.send(post(K1, LIST));
                assertThat(wire.answer().status()).isEqualTo(200);
            });
            assertThat(ask(wire, K1, call(1, "echo"))
                            .path("error")
                            .path("message")
                            .asString())
                    .contains("banned from tool calls")
                    .contains("(banned by an operator)");
        }
    }

    @Test
    void laterBansLastLongerAlsoAfterARestartUntilTheyAreForgotten() throws Exception {
        restart(
                setting("ban.threshold", 0),
                setting("ban.duration_seconds", 100),
                setting("ban.escalation_factor", 3),
                setting("ban.max_duration_seconds", 400));
        loop(K1, 6);
        assertThat(bans("client:c1")).containsExactly("0: 100");

        restart(ended(1));
        loop(K1, 1);
        assertThat(bans("client:c1")).containsExactly("0: 100", "1: 300");
        restart(ended(1));
        loop(K1, 1);
        assertThat(bans("client:c1")).containsExactly("0: 100", "1: 300", "2: 400");

        restart("DELETE FROM ban WHERE escalation > 0", ended(4));
        loop(K1, 1);
        assertThat(bans("client:c1")).as("six days ago").containsExactly("0: 100", "1: 300");
        restart("DELETE FROM ban WHERE escalation > 0", setting("ban.forget_days", 5));
        loop(K1, 1);
        assertThat(bans("client:c1"))
                .as("six days ago, and forgotten after five")
                .containsExactly("0: 100", "0: 100");
    }

    /** Moves all bans into the past. */
    private static String ended(int daysAgo) {
        return "UPDATE ban SET started_at = DATEADD('DAY', -" + daysAgo + ", started_at), expires_at = DATEADD('DAY', -"
                + daysAgo + ", expires_at)";
    }

    @Test
    void aBanByHandDoesNotBindAnExemptClient() throws Exception {
        restart("INSERT INTO ban (principal, scope, expires_at) VALUES ('client:c1', 'all',"
                + " TIMESTAMP '2999-01-01 00:00:00')");
        assertThat(loop(K1, 1)).containsExactly(-32030);
        restart("UPDATE client SET exempt = TRUE WHERE id = 'c1'");
        assertThat(loop(K1, 20)).containsOnly(0);
    }
}
