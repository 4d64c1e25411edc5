package dev.weir.app;

import static dev.weir.app.LogLines.field;
import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever Weir throttles can be read in the database and in the log afterwards. */
@Timeout(60)
class ThrottleHistoryTest {

    @TempDir
    Path directory;

    private final LogLines lines = new LogLines(ThrottleLog.class, BanJournal.class);
    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
        weir = RunningWeir.start(directory, upstream.base());
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
        lines.close();
    }

    private String callT1(Wire wire) throws IOException {
        wire.send(post(K1, call(1, "T1")));
        return wire.answer().body();
    }

    /** Calls until so many calls have been throttled. */
    private void throttle(int times) throws IOException {
        try (Wire wire = weir.wire()) {
            int throttled = 0;
            while (throttled < times) {
                throttled += callT1(wire).contains("\"throttled\"") ? 1 : 0;
            }
        }
    }

    /** Calls until a call is refused because of a ban, and answers how many have been throttled before. */
    private int callUntilBanned(Wire wire) throws IOException {
        int throttled = 0;
        String answer = "";
        while (!answer.contains("\"banned\"")) {
            answer = callT1(wire);
            throttled += answer.contains("\"throttled\"") ? 1 : 0;
        }
        return throttled;
    }

    private long number(String sql) {
        return weir.database()
                .withHandle(handle -> handle.createQuery(sql).mapTo(Long.class).one());
    }

    private long calls(String where) {
        return number("SELECT COALESCE(SUM(calls), 0) FROM throttle_event WHERE " + where);
    }

    @Test
    void throttledCallsAreCountedBySecondAndKindWithinSeconds() throws Exception {
        throttle(4);
        await().atMost(Duration.ofSeconds(4))
                .until(() -> calls("principal = 'client:c1' AND route = '/mcp' AND tool = 'T1' AND level = 'tool'"
                                + " AND decision = 'throttled' AND node <> ''")
                        == 4);
        List<Map<String, Object>> twice = weir.database()
                .withHandle(handle -> handle.createQuery(
                                "SELECT happened_at FROM throttle_event GROUP BY happened_at HAVING COUNT(*) > 1")
                        .mapToMap()
                        .list());
        assertThat(twice).as("seconds with more than one row").isEmpty();
        assertThat(number(
                        "SELECT COUNT(*) FROM throttle_event WHERE happened_at > CURRENT_TIMESTAMP - INTERVAL '60' SECOND"
                                + " AND EXTRACT(SECOND FROM happened_at) = FLOOR(EXTRACT(SECOND FROM happened_at))"))
                .as("rows of whole seconds of now")
                .isEqualTo(number("SELECT COUNT(*) FROM throttle_event"));
    }

    @Test
    void aCallInTheCoolDownIsInTheHistoryAlthoughItIsNoStrike() throws Exception {
        throttle(1);
        try (Wire wire = weir.wire()) {
            // Long enough for the bucket to have a token again, so that only the cool-down refuses.
            await().pollDelay(Duration.ofMillis(700))
                    .untilAsserted(() ->
                            assertThat(callT1(wire)).contains("\"throttled\"").doesNotContain("\"strikes\""));
        }
        await().until(() -> calls("level = 'tool'") == 2);
    }

    @Test
    void theRefusalsOfABanAreNoThrottles() throws Exception {
        try (Wire wire = weir.wire()) {
            int throttled = callUntilBanned(wire);
            for (int i = 0; i < 5; i++) {
                assertThat(callT1(wire)).contains("\"banned\"");
            }
            await().until(() -> calls("TRUE") == throttled);
            await().during(Duration.ofSeconds(2)).until(() -> calls("TRUE") == throttled);
        }
    }

    @Test
    void anUnprovenCallerIsOneRowASecondWhateverItAsksFor() throws Exception {
        int refused = 0;
        try (Wire wire = weir.wire()) {
            for (int i = 0; refused < 30; i++) {
                String request = post("nobody's-key-" + i, call(i, "tool-" + i));
                wire.send(i % 2 == 0 ? request : request.replace("POST /mcp", "POST /lost-" + i));
                refused += wire.answer().status() == 429 ? 1 : 0;
            }
        }
        int told = refused;
        await().until(() -> calls("level = 'unproven' AND principal = 'address:127.0.0.1' AND tool = ''") == told);
        assertThat(number("SELECT COUNT(*) FROM throttle_event WHERE route NOT IN ('', '/mcp') OR tool <> ''"))
                .isZero();
    }

    @Test
    void aCleanStopLosesNothing() throws Exception {
        throttle(3);
        weir.close();
        weir = RunningWeir.start(directory, upstream.base());
        assertThat(calls("principal = 'client:c1'")).isEqualTo(3);
    }

    @Test
    void theLogTellsOfTheFirstThrottleAndOfBansThatBeginAndAreLifted() throws Exception {
        try (Wire wire = weir.wire()) {
            callUntilBanned(wire);
        }
        await().until(() -> !lines.of("throttled").isEmpty());
        assertThat(field(lines.of("throttled").get(0), "principal")).isEqualTo("client:c1");
        assertThat(lines.of("banned")).singleElement().satisfies(line -> {
            assertThat(field(line, "principal")).isEqualTo("client:c1");
            assertThat(field(line, "tool")).isEqualTo("T1");
            assertThat(field(line, "strikes")).isEqualTo("6");
        });
        await().during(Duration.ofMillis(800)).until(() -> lines.of("unbanned").isEmpty());
        weir.sql("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP");
        await().until(() -> !lines.of("unbanned").isEmpty());
        assertThat(field(lines.of("unbanned").get(0), "how")).isEqualTo("lifted");
        assertThat(field(lines.of("unbanned").get(0), "ban_id"))
                .isEqualTo(field(lines.of("banned").get(0), "ban_id"));
    }

    @Test
    void theLogTellsOfABanMadeBySqlOnceAndOfItsEnd() throws Exception {
        weir.sql("INSERT INTO ban (principal, expires_at)"
                + " VALUES ('client:c2', CURRENT_TIMESTAMP + INTERVAL '2' SECOND)");
        await().until(() -> !lines.of("unbanned").isEmpty());
        assertThat(lines.of("banned"))
                .singleElement()
                .satisfies(line -> assertThat(field(line, "principal")).isEqualTo("client:c2"));
        assertThat(lines.of("unbanned"))
                .singleElement()
                .satisfies(line -> assertThat(field(line, "how")).isEqualTo("ended"));
    }
}
