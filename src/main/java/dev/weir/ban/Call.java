package dev.weir.ban;

import org.jspecify.annotations.Nullable;

/**
 * A throttled call, as far as it matters for whether it is a strike.
 *
 * @param route        the route that it was made on
 * @param tool         the tool that it would have run; null if none
 * @param level        the level that refused it
 * @param arrivedNanos when it arrived, on the monotonic clock
 */
public record Call(String route, @Nullable String tool, String level, long arrivedNanos) {}
