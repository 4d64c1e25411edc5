package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.weir.web.RequestLog;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a runaway agent makes of the log: few lines, and in them every one of its calls. */
@Timeout(60)
class RefusalStormTest {

    private static final int CALLS = 300;

    @TempDir
    Path directory;

    private static long told(List<ILoggingEvent> ends, List<ILoggingEvent> repeated) {
        return ends.size()
                + repeated.stream()
                        .mapToLong(line -> Long.parseLong(LogLines.field(line, "count")))
                        .sum();
    }

    @Test
    void everyCallOfAStormIsInALineOrInACountAndAlsoThoseOfGuessers() throws Exception {
        try (StubUpstream upstream = new StubUpstream(CircuitRig.GOOD);
                LogLines lines = new LogLines(RequestLog.class)) {
            try (RunningWeir weir = RunningWeir.start(directory, upstream.base());
                    Wire wire = weir.wire()) {
                for (int i = 0; i < CALLS; i++) {
                    wire.send(post(i % 2 == 0 ? K1 : "guess-" + i, i % 3 == 0 ? "no json" : call(i, "T1")));
                    wire.answer();
                }
            }
            List<ILoggingEvent> ends = lines.of("request_end");
            assertThat(told(ends, lines.of("request_repeated"))).isEqualTo(CALLS);
            assertThat(ends.size() + lines.of("request_repeated").size()).isLessThan(40);
        }
    }

    /** The storm is over, and nothing more comes that could bring the count along. */
    @Test
    void theCountComesAlsoWhenNothingMoreComes() throws Exception {
        try (StubUpstream upstream = new StubUpstream(CircuitRig.GOOD);
                LogLines lines = new LogLines(RequestLog.class);
                RunningWeir weir = RunningWeir.start(directory, upstream.base());
                Wire wire = weir.wire()) {
            for (int i = 0; i < 5; i++) {
                wire.send(post(K1, "no json"));
                wire.answer();
            }
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> lines.of("request_repeated").size() == 1);
            ILoggingEvent line = lines.of("request_repeated").get(0);
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(LogLines.field(line, "count")).isEqualTo("4");
            assertThat(LogLines.field(line, "status_code")).isEqualTo("400");
            assertThat(LogLines.field(line, "refusal")).isEqualTo("unreadable");
            assertThat(Double.parseDouble(LogLines.field(line, "seconds"))).isBetween(10.0, 40.0);
        }
    }

    @Test
    void callsThatAnOpenCircuitTurnsAwayAreCountedTogetherToo() throws Exception {
        try (LogLines lines = new LogLines(RequestLog.class)) {
            try (CircuitRig rig = CircuitRig.start(
                    directory, CircuitRig.route("open", "breaker_failures", "2", "breaker_open_seconds", "60"))) {
                rig.behave("open", CircuitRig.FAILING);
                for (int i = 0; i < 22; i++) {
                    rig.call("open");
                }
                await().until(() -> lines.of("request_start").size() == 22);
            }
            List<ILoggingEvent> turnedAway = lines.of("request_error").stream()
                    .filter(line -> LogLines.field(line, "refusal").equals("circuit_open"))
                    .toList();
            assertThat(turnedAway).hasSize(1);
            assertThat(lines.of("request_repeated")).singleElement().satisfies(line -> {
                assertThat(LogLines.field(line, "count")).isEqualTo("19");
                assertThat(LogLines.field(line, "refusal")).isEqualTo("circuit_open");
                assertThat(line.getLevel()).isEqualTo(Level.ERROR);
            });
        }
    }
}
