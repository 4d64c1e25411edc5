package dev.weir.app;

import static dev.weir.app.LogLines.field;
import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.weir.web.RequestLog;
import dev.weir.wire.HookReceiver;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A storm, told by the agent, the upstream, the log, the numbers, the traces, an alert and the history: one story, the same numbers. */
@Timeout(60)
class SameStoryTest {

    private static final int CONNECTIONS = 4;
    private static final int CALLS = 60;

    @TempDir
    Path directory;

    /** How many calls had which answer. */
    private record Answers(int results, int throttled, int banned) {

        Answers plus(Answers other) {
            return new Answers(results + other.results, throttled + other.throttled, banned + other.banned);
        }
    }

    private static Answers storm(RunningWeir weir) throws Exception {
        ExecutorService agents = Executors.newFixedThreadPool(CONNECTIONS);
        try {
            List<Future<Answers>> running = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                running.add(agents.submit(() -> onOneConnection(weir)));
            }
            Answers all = new Answers(0, 0, 0);
            for (Future<Answers> one : running) {
                all = all.plus(one.get());
            }
            return all;
        } finally {
            agents.shutdownNow();
        }
    }

    private static Answers onOneConnection(RunningWeir weir) throws Exception {
        Answers all = new Answers(0, 0, 0);
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < CALLS; i++) {
                wire.send(post(K1, call(i, "T1")));
                String answer = wire.answer().body();
                all = all.plus(new Answers(
                        answer.contains("\"result\"") ? 1 : 0,
                        answer.contains("\"throttled\"") ? 1 : 0,
                        answer.contains("\"banned\"") ? 1 : 0));
            }
        }
        return all;
    }

    /** The requests that ended with a decision, told one by one or together. */
    private static long logged(LogLines lines, String decision) {
        return Stream.concat(lines.of("request_end").stream(), lines.of("request_repeated").stream())
                .filter(line -> decision.equals(field(line, "decision")))
                .mapToLong(SameStoryTest::times)
                .sum();
    }

    private static long times(ILoggingEvent line) {
        String count = field(line, "count");
        return count.isEmpty() ? 1 : Long.parseLong(count);
    }

    private static long counted(Scrape scrape, String decision) {
        return (long) scrape.value("weir_tool_calls_total{decision=\"" + decision + "\",route=\"/mcp\",tool=\"T1\"}");
    }

    private static long traced(TraceCollector collector, String decision) {
        return collector.spans().stream()
                .filter(span -> span.getKind() == Span.SpanKind.SPAN_KIND_SERVER)
                .filter(span -> decision.equals(TraceCollector.text(span, "weir.decision")))
                .count();
    }

    private static void assertSame(String where, Answers told, long admitted, long throttled, long shut) {
        assertThat(List.of(admitted, throttled, shut))
                .as(where)
                .isEqualTo(List.of((long) told.results(), (long) told.throttled(), (long) told.banned()));
    }

    @Test
    void everybodyTellsOfTheStormWithTheSameNumbers() throws Exception {
        try (StubUpstream upstream = new StubUpstream(
                        (request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
                LogLines lines = new LogLines(RequestLog.class, ThrottleLog.class, BanJournal.class);
                HookReceiver hook = HookReceiver.good();
                TraceCollector collector = new TraceCollector()) {
            Answers told;
            try (RunningWeir weir = start(upstream, hook, collector)) {
                told = storm(weir);
                assertThat(told.results() + told.throttled() + told.banned()).isEqualTo(CONNECTIONS * CALLS);
                assertThat(told.results()).isBetween(5, CALLS);
                assertThat(told.banned()).isPositive();
                assertThat(upstream.received()).hasSize(told.results());
                assertNumbers(weir, told);
                assertTraces(collector, told);
                assertHistory(weir, told);
                assertBan(weir, lines, hook);
            }
            // At the end the log tells what it would have counted for a while.
            assertSame("the log", told, logged(lines, "admit"), logged(lines, "throttle"), logged(lines, "shut"));
            assertThat(lines.of("throttled").stream()
                            .mapToLong(line -> Long.parseLong(field(line, "calls")))
                            .sum())
                    .isEqualTo(told.throttled());
        }
    }

    private RunningWeir start(StubUpstream upstream, HookReceiver hook, TraceCollector collector) throws Exception {
        return RunningWeir.start(
                directory,
                upstream.base(),
                "mcp.alert.webhook-url",
                hook.url("/"),
                "mcp.otel.exporter-otlp-endpoint",
                collector.endpoint(),
                "mcp.otel.bsp-schedule-delay",
                "100");
    }

    private static void assertNumbers(RunningWeir weir, Answers told) throws IOException {
        Scrape scrape = Scrape.of(weir);
        assertSame("the numbers", told, counted(scrape, "admit"), counted(scrape, "throttle"), counted(scrape, "shut"));
        assertThat(scrape.value("weir_bans_total")).isEqualTo(1);
    }

    private static void assertTraces(TraceCollector collector, Answers told) {
        await("the traces")
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertSame(
                        "the traces",
                        told,
                        traced(collector, "admit"),
                        traced(collector, "throttle"),
                        traced(collector, "shut")));
    }

    private static void assertHistory(RunningWeir weir, Answers told) {
        await("the history")
                .untilAsserted(() -> assertThat(number(
                                weir,
                                "SELECT COALESCE(SUM(calls), 0) FROM throttle_event WHERE decision = 'throttled'"))
                        .isEqualTo(told.throttled()));
    }

    private static void assertBan(RunningWeir weir, LogLines lines, HookReceiver hook) {
        assertThat(number(weir, "SELECT COUNT(*) FROM ban")).isEqualTo(1);
        assertThat(lines.of("banned")).hasSize(1);
        ILoggingEvent banned = lines.of("banned").get(0);
        assertThat(field(banned, "ban_id")).isEqualTo(text(weir, "SELECT id FROM ban"));
        assertThat(field(banned, "strikes")).isEqualTo(text(weir, "SELECT strikes FROM ban"));
        await("the alert").until(() -> !hook.received().isEmpty());
        assertThat(hook.received()).hasSize(1);
        assertThat(hook.received().get(0).header("X-Weir-Event")).isEqualTo("banned");
        assertThat(hook.received().get(0).body())
                .contains("\"ban_id\":\"" + field(banned, "ban_id") + "\"", "\"strikes\":" + field(banned, "strikes"));
    }

    private static long number(RunningWeir weir, String sql) {
        return weir.database()
                .withHandle(handle -> handle.createQuery(sql).mapTo(Long.class).one());
    }

    private static String text(RunningWeir weir, String sql) {
        return weir.database()
                .withHandle(
                        handle -> handle.createQuery(sql).mapTo(String.class).one());
    }
}
