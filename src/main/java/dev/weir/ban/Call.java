package dev.weir.ban;

import org.jspecify.annotations.Nullable;

/**
 * A throttled call, as far as it matters for whether it is a strike.
 *
 * @param route       the route that it was made on
 * @param tool        the tool that it would have run; null if none
 * @param level       the level that refused it
 * @param arrivedNanos when it arrived, on the monotonic clock
 * @param lane        the connection that it came on, if that connection carries one call after the other, so that a call on it
 *                    was sent after the answer to the call before; null if calls on it may overtake each other
 */
public record Call(
        String route,
        @Nullable String tool,
        String level,
        long arrivedNanos,
        @Nullable String lane) {}
