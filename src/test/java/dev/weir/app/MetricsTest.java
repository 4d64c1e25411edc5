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
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The numbers at {@code /metrics}, and who is told them. */
@Timeout(60)
class MetricsTest {

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

    private static String send(Wire wire, String key, String body) throws IOException {
        wire.send(post(key, body));
        return wire.answer().body();
    }

    @Test
    void whatTheCapsTurnAwayIsShownBeforeThereIsAny() throws Exception {
        Scrape scrape = Scrape.of(weir);
        assertThat(scrape.value("weir_principals_overflowed_total")).isZero();
        assertThat(scrape.value("weir_strikes_uncounted_total")).isZero();
    }

    @Test
    void everyDecisionIsCountedByWhatItWas() throws Exception {
        weir.sql("INSERT INTO tool (route, name, tier, enabled) VALUES ('/mcp', 'off', 'light', FALSE)");
        try (Wire wire = weir.wire()) {
            await().until(() -> send(wire, K2, call(1, "off")).contains("forbidden"));
            double admitted = Scrape.of(weir).value("weir_decisions_total{decision=\"admit\",level=\"\"}");
            double forbidden = Scrape.of(weir).value("weir_decisions_total{decision=\"forbid\",level=\"\"}");
            assertThat(forbidden).isPositive();
            int let = 0;
            int throttled = 0;
            int shut = 0;
            while (shut < 3) {
                String answer = send(wire, K1, call(1, "T1"));
                let += answer.contains("\"result\"") ? 1 : 0;
                throttled += answer.contains("\"throttled\"") ? 1 : 0;
                shut += answer.contains("\"banned\"") ? 1 : 0;
            }
            send(wire, K1, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
            Scrape scrape = Scrape.of(weir);
            assertThat(scrape.value("weir_decisions_total{decision=\"admit\",level=\"\"}"))
                    .isEqualTo(admitted + let + 1);
            assertThat(scrape.value("weir_decisions_total{decision=\"throttle\",level=\"tool\"}"))
                    .isEqualTo(throttled)
                    .isGreaterThanOrEqualTo(5);
            assertThat(scrape.value("weir_decisions_total{decision=\"shut\",level=\"\"}"))
                    .isEqualTo(3);
            assertThat(scrape.value("weir_decisions_total{decision=\"forbid\",level=\"\"}"))
                    .isEqualTo(forbidden);
            assertThat(scrape.value("weir_bans_total")).isEqualTo(1);
            assertThat(scrape.value("weir_bans_active")).isEqualTo(1);
            assertThat(scrape.value("weir_principals")).isPositive();
        }
    }

    @Test
    void callsOfToolsAreCountedByNameIfThePolicyNamesThemAndInBatchesOneByOne() throws Exception {
        weir.sql("UPDATE route SET batch = 'judge' WHERE prefix = '/mcp'");
        try (Wire wire = weir.wire()) {
            String batch = "[" + call(1, "T1") + "," + call(2, "made-up") + "," + call(3, "made-up") + "]";
            await().until(() -> !send(wire, K2, batch).contains("error"));
            Scrape scrape = Scrape.of(weir);
            assertThat(scrape.value("weir_tool_calls_total{decision=\"admit\",route=\"/mcp\",tool=\"T1\"}"))
                    .isEqualTo(1);
            assertThat(scrape.value("weir_tool_calls_total{decision=\"admit\",route=\"/mcp\",tool=\"\"}"))
                    .isEqualTo(2);
            assertThat(scrape.value("weir_tool_calls_total{decision=\"shut\",route=\"/mcp\",tool=\"T1\"}"))
                    .isZero();
            assertThat(scrape.answer().body()).doesNotContain("made-up");
            weir.sql("DELETE FROM tool WHERE name = 'T1'");
            await("of a tool that is no more there is no number")
                    .until(() -> !Scrape.of(weir).answer().body().contains("tool=\"T1\""));
        }
    }

    @Test
    void whatTakesTimeIsAHistogramOfItByRouteAndByHowItEnded() throws Exception {
        double results = 0;
        double throttled = 0;
        try (Wire wire = weir.wire()) {
            String answer;
            do {
                answer = send(wire, K1, call(1, "T1"));
                results += answer.contains("\"result\"") ? 1 : 0;
                throttled += answer.contains("\"throttled\"") ? 1 : 0;
            } while (!answer.contains("\"banned\""));
        }
        // The last of a request that is counted is its end, which its client may be told of before.
        double all = results + throttled + 1;
        await().until(() -> Scrape.of(weir).value("weir_request_seconds_count{route=\"/mcp\",status=\"2xx\"}") == all);
        Scrape scrape = Scrape.of(weir);
        assertThat(scrape.value("weir_decide_seconds_count{decision=\"throttle\",route=\"/mcp\"}"))
                .isEqualTo(throttled)
                .isPositive();
        assertThat(scrape.value("weir_upstream_call_seconds_count{outcome=\"success\",route=\"/mcp\"}"))
                .isEqualTo(results);
        assertThat(scrape.value("weir_upstream_call_seconds_bucket{outcome=\"success\",route=\"/mcp\",le=\"60.0\"}"))
                .isEqualTo(results);
        assertThat(scrape.value("weir_upstream_call_seconds_sum{outcome=\"success\",route=\"/mcp\"}"))
                .isPositive();
        assertThat(scrape.value("weir_decide_seconds_bucket{decision=\"shut\",route=\"/mcp\",le=\"+Inf\"}"))
                .isEqualTo(1);
    }

    @Test
    void openMetricsIsForWhoeverAsksForIt() throws Exception {
        Wire.Answer answer = Scrape.of(
                        weir, "Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5\r\n")
                .answer();
        assertThat(answer.head().values("Content-Type").get(0))
                .startsWith("application/openmetrics-text; version=1.0.0");
        assertThat(answer.body()).endsWith("# EOF\n").contains("# TYPE weir_decisions counter");
        assertThat(Scrape.of(weir, "Accept: */*\r\n")
                        .answer()
                        .head()
                        .values("Content-Type")
                        .get(0))
                .startsWith("text/plain; version=0.0.4");
    }

    @Test
    void aLiftedBanIsActiveNoMoreAndStaysCounted() throws Exception {
        try (Wire wire = weir.wire()) {
            String answer;
            do {
                answer = send(wire, K1, call(1, "T1"));
            } while (!answer.contains("\"banned\""));
        }
        weir.sql("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP");
        await().until(() -> Scrape.of(weir).value("weir_bans_active") == 0);
        assertThat(Scrape.of(weir).value("weir_bans_total")).isEqualTo(1);
    }

    @Test
    void countersThatHaveNotMovedAreThereFromTheStart() throws Exception {
        Scrape scrape = Scrape.of(weir);
        assertThat(scrape.answer().head().values("Content-Type").get(0)).startsWith("text/plain; version=0.0.4");
        for (String series : new String[] {
            "weir_decisions_total{decision=\"throttle\",level=\"channel\"}",
            "weir_decisions_total{decision=\"throttle\",level=\"concurrency\"}",
            "weir_decisions_total{decision=\"throttle\",level=\"unproven\"}",
            "weir_bans_total",
            "weir_throttle_rows_dropped_total",
            "weir_write_queue_length{queue=\"bans\"}",
            "weir_write_queue_length{queue=\"throttles\"}",
        }) {
            assertThat(scrape.value(series)).as(series).isZero();
        }
    }

    @Test
    void callersWithoutACredentialAreNoAdmittedCalls() throws Exception {
        int throttled = 0;
        try (Wire wire = weir.wire()) {
            for (int i = 0; throttled < 10; i++) {
                wire.send(post("nobody's key", call(i, "T1")));
                throttled += wire.answer().status() == 429 ? 1 : 0;
            }
        }
        Scrape scrape = Scrape.of(weir);
        assertThat(scrape.value("weir_decisions_total{decision=\"admit\",level=\"\"}"))
                .isZero();
        assertThat(scrape.value("weir_decisions_total{decision=\"throttle\",level=\"unproven\"}"))
                .isEqualTo(throttled);
    }

    @Test
    void tiersInShadowModeBeyondTheHundredthAreCountedTogether() throws Exception {
        for (int i = 0; i < 105; i++) {
            weir.sql("INSERT INTO tool_tier (name, rate_per_second, burst, mode) VALUES ('tier" + i
                    + "', 0, 0, 'shadow')");
            weir.sql("INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'tool" + i + "', 'tier" + i + "')");
        }
        weir.close();
        weir = RunningWeir.start(directory, upstream.base(), "mcp.rate-limit.burst-size", "1000");
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < 105; i++) {
                assertThat(send(wire, K1, call(i, "tool" + i))).contains("\"result\"");
            }
            send(wire, K1, call(1, "tool7"));
        }
        Scrape scrape = Scrape.of(weir);
        assertThat(scrape.value("weir_would_throttle_total{tier=\"tier7\"}")).isEqualTo(2);
        assertThat(scrape.value("weir_would_throttle_total{tier=\"tier99\"}")).isEqualTo(1);
        assertThat(scrape.value("weir_would_throttle_total{tier=\"tier100\"}")).isEqualTo(-1);
        assertThat(scrape.value("weir_would_throttle_total{tier=\"other\"}")).isEqualTo(5);
    }

    @Test
    void noSeriesNamesAClient() throws Exception {
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < 7; i++) {
                send(wire, K1, call(i, "T1"));
            }
        }
        // The upstream of this test has the same address as its client.
        String others = Scrape.of(weir).answer().body().replace(upstream.base().toString(), "");
        assertThat(others).doesNotContain("c1").doesNotContain("127.0.0.1");
    }

    @Test
    void whoeverCallsThroughAProxyOrUnderAForeignNameNeedsTheAdminToken() throws Exception {
        String token = Files.readString(directory.resolve("admin-token")).strip();
        for (String header : new String[] {"X-Forwarded-For: 192.0.2.1\r\n", "Forwarded: for=192.0.2.1\r\n"}) {
            Wire.Answer refused = Scrape.of(weir, header).answer();
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.head().values("Content-Type").get(0)).startsWith("application/json");
            assertThat(refused.head().values("WWW-Authenticate")).isNotEmpty();
            assertThat(refused.body()).contains("\"unauthenticated\"").doesNotContain("weir_");
            assertThat(Scrape.of(weir, header, "Authorization: Bearer " + token + "x\r\n")
                            .answer()
                            .status())
                    .isEqualTo(401);
            assertThat(Scrape.of(weir, header, "Authorization: Bearer " + K1 + "\r\n")
                            .answer()
                            .status())
                    .as("the key of a client")
                    .isEqualTo(401);
            assertThat(Scrape.of(weir, header, "Authorization: bearer " + token + "\r\n")
                            .answer()
                            .status())
                    .isEqualTo(200);
        }
        assertThat(Scrape.as("rebound.example", weir).answer().status()).isEqualTo(401);
    }

    @Test
    void askingIsNeitherLimitedNorLogged() throws Exception {
        try (LogLines lines = new LogLines(RequestLog.class);
                Wire wire = weir.wire()) {
            for (int i = 0; i < 200; i++) {
                wire.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(wire.answer().status()).isEqualTo(200);
            }
            send(wire, K1, call(1, "T1"));
            await().until(() -> !lines.of("request_end").isEmpty());
            assertThat(lines.of("request_end")).hasSize(1);
        }
    }
}
