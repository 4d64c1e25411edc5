package dev.weir.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When the circuit of a route opens, for how long, and what it takes to close it again. Immutable.
 *
 * @param failures       how many failures in a row open it; 0 for never by this
 * @param failurePercent the share of failures that opens it, once there are {@code minCalls}
 * @param minCalls       the fewest calls in the window that a share is taken of
 * @param window         how far back the calls are looked at
 * @param slow           from when on a call is slow; null if none is
 * @param slowPercent    the share of slow calls that opens it
 * @param open           how long it stays open
 * @param probes         how many calls are let through to find out whether to close it
 */
public record BreakerRule(
        int failures,
        int failurePercent,
        int minCalls,
        Duration window,
        @Nullable Duration slow,
        int slowPercent,
        Duration open,
        int probes) {

    /**
     * The rule of a row; null if the route has no breaker.
     *
     * @throws IllegalArgumentException if a column cannot work as written; the message names it, the value and the rule
     */
    static @Nullable BreakerRule of(PolicyRows.Breaker row) {
        int slow = Ranges.check("breaker_slow_ms", row.slowMs(), 0, 86_400_000);
        BreakerRule rule = new BreakerRule(
                Ranges.check("breaker_failures", row.failures(), 0, 1_000),
                Ranges.check("breaker_failure_percent", row.failurePercent(), 1, 100),
                Ranges.check("breaker_min_calls", row.minCalls(), 1, 10_000),
                Duration.ofSeconds(Ranges.check("breaker_window_seconds", row.windowSeconds(), 1, 600)),
                slow == 0 ? null : Duration.ofMillis(slow),
                Ranges.check("breaker_slow_percent", row.slowPercent(), 1, 100),
                Duration.ofSeconds(Ranges.check("breaker_open_seconds", row.openSeconds(), 1, 3_600)),
                Ranges.check("breaker_probes", row.probes(), 1, 100));
        return row.enabled() ? rule : null;
    }
}
