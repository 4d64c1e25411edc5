package dev.weir.app;

import static dev.weir.app.LogLines.field;
import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.weir.web.RequestLog;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A tier in shadow mode refuses nothing, and everything that it would have refused can be seen. */
@Timeout(60)
class ShadowTest {

    private static final int BURST = 5;

    @TempDir
    Path directory;

    private final LogLines lines = new LogLines(RequestLog.class);
    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
        weir = RunningWeir.start(directory, upstream.base());
        weir.sql("UPDATE tool_tier SET mode = 'shadow' WHERE name = 'heavy'");
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
        lines.close();
    }

    /** Starts anew, so that the policy of the tables is in force from the first call on. */
    private void restart(String... settings) throws Exception {
        weir.close();
        weir = RunningWeir.start(directory, upstream.base(), settings);
    }

    private long calls(String where) {
        return weir.database()
                .withHandle(handle -> handle.createQuery(
                                "SELECT COALESCE(SUM(calls), 0) FROM throttle_event WHERE " + where)
                        .mapTo(Long.class)
                        .one());
    }

    private List<ILoggingEvent> ends(int calls) {
        await().until(() -> lines.of("request_end").size() == calls);
        return lines.of("request_end");
    }

    @Test
    void theCallsGoThroughAndAreSeenInLogMetricAndHistoryButNeverBan() throws Exception {
        restart();
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < 30; i++) {
                wire.send(post(K1, call(i, "T1")));
                assertThat(wire.answer().body()).contains("\"result\"");
            }
        }
        List<ILoggingEvent> would = ends(30).stream()
                .filter(line -> !field(line, "would_throttle").isEmpty())
                .toList();
        assertThat(would).hasSizeBetween(10, 30 - BURST).allSatisfy(line -> {
            assertThat(field(line, "would_throttle")).isEqualTo("heavy");
            assertThat(field(line, "decision")).isEqualTo("admit");
            assertThat(field(line, "status_code")).isEqualTo("200");
        });
        Scrape scrape = Scrape.of(weir);
        assertThat(scrape.value("weir_would_throttle_total{tier=\"heavy\"}")).isEqualTo(would.size());
        assertThat(scrape.value("weir_decisions_total{decision=\"admit\",level=\"\"}"))
                .isEqualTo(30);
        assertThat(scrape.value("weir_decisions_total{decision=\"throttle\",level=\"tool\"}"))
                .isZero();
        assertThat(scrape.value("weir_bans_total")).isZero();
        await().until(() -> calls("decision = 'would_throttle' AND principal = 'client:c1' AND route = '/mcp'"
                        + " AND tool = 'T1' AND level = 'tool'")
                == would.size());
        assertThat(calls("decision = 'throttled'")).isZero();
    }

    @Test
    void aRefusalOfTheChannelStaysARefusalAndAStrike() throws Exception {
        restart("mcp.rate-limit.requests-per-second", "0.1", "mcp.rate-limit.burst-size", "8");
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < 8; i++) {
                wire.send(post(K1, call(i, "T1")));
                assertThat(wire.answer().body()).contains("\"result\"");
            }
            wire.send(post(K1, call(9, "T1")));
            assertThat(wire.answer().body())
                    .contains("\"throttled\"")
                    .contains("\"level\":\"channel\"")
                    .contains("\"strikes\":1");
        }
        ILoggingEvent refused = ends(9).get(8);
        assertThat(field(refused, "decision")).isEqualTo("throttle");
        assertThat(field(refused, "limit_level")).isEqualTo("channel");
        await().until(() -> calls("decision = 'throttled' AND level = 'channel' AND tool = 'T1'") == 1);
        await().until(() -> calls("decision = 'would_throttle'") >= 1);
        assertThat(Scrape.of(weir).value("weir_decisions_total{decision=\"throttle\",level=\"channel\"}"))
                .isEqualTo(1);
    }
}
