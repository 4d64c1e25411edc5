package dev.weir.app;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The database is the policy's home: what is written there is in force within a second, and nonsense is not. */
@Timeout(60)
class PolicyInForceTest {

    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    @TempDir
    Path directory;

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
    }

    private String probe(String path) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            Wire.Answer answer = wire.answer();
            return answer.status() + " " + answer.body();
        }
    }

    private String limitOf(Wire wire, String tool) throws IOException {
        wire.send(post(K1, call(1, tool)));
        return wire.answer().head().values("X-RateLimit-Limit").get(0);
    }

    @Test
    void aTierThatIsEditedIsInForceWithinASecond() throws Exception {
        try (Wire wire = weir.wire()) {
            assertThat(limitOf(wire, "T1")).isEqualTo("5");
            weir.sql("UPDATE tool_tier SET burst = 7 WHERE name = 'heavy'");
            await().atMost(ONE_SECOND).until(() -> limitOf(wire, "T1").equals("7"));
        }
    }

    @Test
    void aToolThatIsRegisteredGetsItsTierWithinASecond() throws Exception {
        try (Wire wire = weir.wire()) {
            assertThat(limitOf(wire, "T2")).isEqualTo("20");
            weir.sql("INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'T2', 'heavy')");
            await().atMost(ONE_SECOND).until(() -> limitOf(wire, "T2").equals("5"));
        }
    }

    @Test
    void aRouteThatIsRemovedIsGoneWithinASecondAndComesBack() throws Exception {
        try (Wire wire = weir.wire()) {
            weir.sql("UPDATE route SET enabled = FALSE");
            await().atMost(ONE_SECOND).until(() -> {
                wire.send(post(K1, call(1, "T1")));
                return wire.answer().status() == 404;
            });
            weir.sql("UPDATE route SET enabled = TRUE");
            await().atMost(ONE_SECOND).until(() -> {
                wire.send(post(K1, call(1, "T1")));
                return wire.answer().status() == 200;
            });
        }
    }

    @Test
    void anEditGivesNobodyARefill() throws Exception {
        weir.sql("INSERT INTO setting (name, content) VALUES ('ban.threshold', '1000')");
        weir.sql("UPDATE tool_tier SET rate_per_second = 0.001, cooldown_seconds = 0 WHERE name = 'heavy'");
        try (Wire wire = weir.wire()) {
            await().until(() -> {
                wire.send(post(K1, call(1, "T1")));
                return wire.answer().body().contains("\"limit\":0.001,");
            });
            weir.sql("INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'unrelated', 'heavy')");
            await().atMost(ONE_SECOND).until(() -> limitOf(wire, "unrelated").equals("5"));
            for (int burst : new int[] {4, 3, 2, 1}) {
                weir.sql("UPDATE tool_tier SET burst = " + burst + " WHERE name = 'heavy'");
                await().atMost(ONE_SECOND).until(() -> {
                    wire.send(post(K1, call(1, "T1")));
                    String refusal = wire.answer().body();
                    assertThat(refusal).contains("-32029");
                    return refusal.contains("\"burst\":" + burst);
                });
            }
        }
    }

    @Test
    void rowsThatMakeNoPolicyLeaveTheLastGoodOneInForceAndAreNamed() throws Exception {
        assertThat(probe("/health")).startsWith("200").contains("\"status\":\"up\"");
        weir.sql("INSERT INTO setting (name, content) VALUES ('refusal_form', 'loud')");

        await().atMost(ONE_SECOND)
                .untilAsserted(() -> assertThat(probe("/health"))
                        .contains("\"status\":\"degraded\"")
                        .contains("table setting, row [refusal_form]: refusal_form must be"));
        Scrape rejected = Scrape.of(weir);
        assertThat(rejected.value("weir_policy_in_force")).isZero();
        assertThat(rejected.answer().body())
                .contains("weir_policy_problem{row=\"refusal_form\",rule=\"refusal_form must be");
        assertThat(probe("/ready")).startsWith("200");
        try (Wire wire = weir.wire()) {
            assertThat(limitOf(wire, "T1")).isEqualTo("5");
        }
        weir.sql("DELETE FROM setting");
        await().atMost(ONE_SECOND)
                .untilAsserted(() -> assertThat(probe("/health")).contains("\"status\":\"up\""));
        Scrape mended = Scrape.of(weir);
        assertThat(mended.value("weir_policy_in_force")).isOne();
        assertThat(mended.answer().body()).doesNotContain("weir_policy_problem{");
    }

    @Test
    void withoutAnyPolicyThatCompilesWeirIsAliveButNotReady() throws Exception {
        weir.sql("INSERT INTO setting (name, content) VALUES ('ban.threshold', 'many')");
        weir.close();
        weir = RunningWeir.start(directory, upstream.base());

        assertThat(probe("/ready")).startsWith("503").contains("ban.threshold must be a whole number");
        assertThat(probe("/live")).startsWith("200");
        weir.sql("DELETE FROM setting");
        await().atMost(ONE_SECOND).until(() -> probe("/ready").startsWith("200"));
    }

    @Test
    void aCleanRestartGivesBackNoToken() throws Exception {
        weir.sql("UPDATE tool_tier SET rate_per_second = 0.001, cooldown_seconds = 0 WHERE name = 'heavy'");
        try (Wire wire = weir.wire()) {
            await().until(() -> {
                wire.send(post(K1, call(1, "T1")));
                // Under the new limit: at the old one the bucket would fill while Weir is down.
                return wire.answer().body().contains("\"limit\":0.001,");
            });
        }
        weir.close();
        weir = RunningWeir.start(directory, upstream.base());
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, call(1, "T1")));
            assertThat(wire.answer().body()).contains("-32029");
        }
    }
}
