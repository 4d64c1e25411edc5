package dev.weir.upstream;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When a breaker opens, for how long, and what closes it again. Immutable; equal where all numbers are.
 *
 * @param failures       how many failures in a row open it; 0 for never by this
 * @param failurePercent the share of failures that opens it, once there are {@code minCalls}
 * @param minCalls       the fewest calls that a share is taken of
 * @param window         how far back calls are looked at, in whole seconds
 * @param slow           from which time on to the head of its answer a call is slow; null if none is
 * @param slowPercent    the share of slow calls that opens it, once there are {@code minCalls}
 * @param open           how long it stays open before it tries again
 * @param probes         how many calls at a time try the upstream then
 */
public record BreakerSettings(
        int failures,
        int failurePercent,
        int minCalls,
        Duration window,
        @Nullable Duration slow,
        int slowPercent,
        Duration open,
        int probes) {}
