package dev.weir.app;

import static dev.weir.app.LogLines.field;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.weir.ban.ThrottleEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThrottleLogTest {

    private long nanos = Long.MAX_VALUE - 1;
    private final LogLines lines = new LogLines(ThrottleLog.class);
    private final ThrottleLog log = new ThrottleLog(() -> nanos);

    @AfterEach
    void close() {
        lines.close();
    }

    private static ThrottleEvent event(String principal, String tool, String level, long calls) {
        return new ThrottleEvent(
                Instant.EPOCH,
                new ThrottleEvent.Kind(principal, "/mcp", tool, level, ThrottleEvent.Decision.THROTTLED),
                calls);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private List<String> calls() {
        return lines.of("throttled").stream().map(line -> field(line, "calls")).toList();
    }

    @Test
    void theFirstOfAKindIsToldAtOnceAndThenTenSecondsAreCountedTogether() {
        log.tell(List.of(event("client:a", "x", "tool", 1)));
        assertThat(calls()).containsExactly("1");
        for (int second = 1; second < 10; second++) {
            pass(Duration.ofSeconds(1));
            log.tell(List.of(event("client:a", "x", "tool", 7)));
        }
        assertThat(calls()).containsExactly("1");
        pass(Duration.ofSeconds(1));
        log.tell(List.of());
        assertThat(calls()).as("without another call").containsExactly("1", "63");
        pass(Duration.ofSeconds(10));
        log.tell(List.of());
        assertThat(calls()).as("nothing happened since").hasSize(2);
        log.tell(List.of(event("client:a", "x", "tool", 2)));
        assertThat(calls()).as("a first one again").containsExactly("1", "63", "2");
    }

    @Test
    void whatIsCountedAtTheEndIsToldThen() {
        log.tell(List.of(event("client:a", "x", "tool", 1)));
        log.tell(List.of(event("client:a", "x", "tool", 6), event("client:b", "x", "tool", 2)));
        log.close();
        assertThat(calls()).containsExactlyInAnyOrder("1", "2", "6");
        log.close();
        assertThat(calls()).hasSize(3);
    }

    @Test
    void aLineSaysWhoOnWhatAndAtWhichLevelAsAWarning() {
        log.tell(List.of(event("client:a", "x", "tool", 3), event("client:a", "", "channel", 4)));
        assertThat(lines.of("throttled")).hasSize(2).allSatisfy(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(field(line, "principal")).isEqualTo("client:a");
        });
        ILoggingEvent tool = lines.of("throttled").stream()
                .filter(line -> field(line, "limit_level").equals("tool"))
                .findFirst()
                .orElseThrow();
        assertThat(field(tool, "tool")).isEqualTo("x");
        assertThat(field(tool, "calls")).isEqualTo("3");
    }

    @Test
    void eachPrincipalToolAndLevelHasLinesOfItsOwn() {
        log.tell(List.of(event("client:a", "x", "tool", 1)));
        log.tell(List.of(event("client:b", "x", "tool", 1)));
        log.tell(List.of(event("client:a", "y", "tool", 1)));
        log.tell(List.of(event("client:a", "x", "channel", 1)));
        assertThat(calls()).hasSize(4);
    }

    @Test
    void whatOnlyWouldHaveBeenThrottledMakesNoLine() {
        log.tell(List.of(new ThrottleEvent(
                Instant.EPOCH,
                new ThrottleEvent.Kind("client:a", "/mcp", "x", "tool", ThrottleEvent.Decision.WOULD_THROTTLE),
                9)));
        assertThat(calls()).isEmpty();
    }

    @Test
    void aFloodOfKindsIsCountedTogetherAndNoCallIsLeftOut() {
        log.tell(IntStream.range(0, 5_000)
                .mapToObj(i -> event("address:" + i, "", "unproven", 2))
                .toList());
        assertThat(calls()).hasSizeLessThan(1_010);
        assertThat(calls().stream().mapToInt(Integer::parseInt).sum()).isEqualTo(10_000);
    }
}
