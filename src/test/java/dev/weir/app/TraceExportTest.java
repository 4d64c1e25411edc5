package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.settings.SettingsException;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Traces on their way to a collector: one that is ill, too many of them, and what is said of it in the settings. */
@Timeout(120)
class TraceExportTest {

    @TempDir
    Path directory;

    private TraceCollector collector;
    private StubUpstream upstream;

    @BeforeEach
    void start() throws IOException {
        collector = new TraceCollector();
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
    }

    @AfterEach
    void stop() throws IOException {
        collector.close();
        upstream.close();
    }

    private RunningWeir weir(String... settings) throws Exception {
        List<String> all = new ArrayList<>(
                List.of("mcp.otel.exporter-otlp-endpoint", collector.endpoint(), "mcp.otel.bsp-schedule-delay", "20"));
        all.addAll(List.of(settings));
        return RunningWeir.start(directory, upstream.base(), all.toArray(String[]::new));
    }

    private static Wire.Answer ask(RunningWeir weir, String request) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(request);
            return wire.answer();
        }
    }

    @Test
    void aCollectorThatIsAwayOrIllIsToldOfInOneLineAndHoldsUpNobody() throws Exception {
        try (LogLines log = new LogLines(Class.forName("dev.weir.telemetry.SpanExport"))) {
            long began = 0;
            try (RunningWeir weir = weir("mcp.otel.exporter-otlp-timeout", "500")) {
                collector.be(TraceCollector.Health.BUSY);
                ask(weir, post(K1, call(1, "echo"), "X-Request-ID: busy\r\n"));
                await().atMost(Duration.ofSeconds(30)).until(() -> failed(weir) >= 3);
                assertThat(log.of("traces_not_exported")).hasSize(1);
                collector.be(TraceCollector.Health.GOOD);
                ask(weir, post(K1, call(1, "echo"), "X-Request-ID: good\r\n"));
                collector.server("good");
                await().until(() -> log.of("traces_exported_again").size() == 1);
                assertThat(Scrape.of(weir).value("weir_trace_spans_total{outcome=\"exported\"}"))
                        .isGreaterThan(0);

                collector.be(TraceCollector.Health.STUCK);
                for (int i = 0; i < 5; i++) {
                    assertThat(ask(weir, post(K1, call(1, "echo"))).status()).isEqualTo(200);
                }
                await().atMost(Duration.ofSeconds(30)).until(() -> failed(weir) >= 4);
                assertThat(log.of("traces_not_exported")).hasSize(2);
                ask(weir, post(K1, call(1, "echo")));
                began = System.nanoTime();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
            await().atMost(Duration.ofSeconds(20)).until(TraceExportTest::hasNoThreadOfTraces);
        }
    }

    private static double failed(RunningWeir weir) throws IOException {
        return Scrape.of(weir).value("weir_trace_spans_total{outcome=\"failed\"}");
    }

    /** The client of the JDK ends its own thread some time later; that holds nothing of Weir. */
    private static boolean hasNoThreadOfTraces() {
        return Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("weir-traces")
                        || thread.getName().startsWith("BatchSpanProcessor"));
    }

    @Test
    void spansForWhichThereIsNoRoomAreCounted() throws Exception {
        collector.be(TraceCollector.Health.STUCK);
        try (RunningWeir weir = weir("mcp.otel.bsp-max-queue-size", "4", "mcp.otel.bsp-max-export-batch-size", "4")) {
            for (int i = 0; i < 8; i++) {
                assertThat(ask(weir, post(K1, call(1, "echo"))).status()).isEqualTo(200);
            }
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> Scrape.of(weir).value("weir_trace_spans_total{outcome=\"dropped\"}") > 0);
        }
    }

    @Test
    void aSettingThatCannotBeUsedStopsTheStartWithItsNameAndWithoutItsSecrets() {
        Map<String, String> bad = Map.of(
                "exporter-otlp-endpoint", "ftp://x",
                "exporter-otlp-traces-endpoint", "http://u:canary@x:1",
                "exporter-otlp-protocol", "grpc",
                "exporter-otlp-headers", "canary",
                "traces-sampler", "sometimes",
                "traces-exporter", "zipkin",
                "bsp-max-queue-size", "many",
                "exporter-otlp-timeout", "soon",
                "propagators", "b3");
        bad.forEach((name, value) -> {
            Map<String, String> settings = new HashMap<>(Map.of("exporter-otlp-endpoint", collector.endpoint()));
            settings.put(name, value);
            assertThatThrownBy(() -> TraceLink.start(settings, Clock.systemUTC()))
                    .isInstanceOf(SettingsException.class)
                    .hasMessageStartingWith("mcp.otel." + name + " ")
                    .message()
                    .doesNotContain("canary")
                    .hasLineCount(1);
        });
    }

    @Test
    void nothingIsTracedWhereItIsSaidSo() {
        List<Map<String, String>> off = List.of(
                Map.of(),
                Map.of("service-name", "x"),
                Map.of("exporter-otlp-endpoint", collector.endpoint(), "sdk-disabled", "TRUE"),
                Map.of("exporter-otlp-endpoint", collector.endpoint(), "traces-exporter", "none"));
        off.forEach(settings -> assertThat(
                        TraceLink.start(settings, Clock.systemUTC()).tracing())
                .as(settings.toString())
                .isNull());
    }
}
