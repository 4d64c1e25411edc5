package dev.weir.ban;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A throttled call, as far as it matters for whether it is a strike.
 *
 * @param route        the route that it was made on
 * @param tool         the tool that it would have run; null if none
 * @param level        the level that refused it
 * @param arrivedNanos when it arrived, on the monotonic clock
 * @param arguments    makes the digest of its arguments, or null if it has none; asked only if it is a strike
 */
public record Call(
        String route, @Nullable String tool, String level, long arrivedNanos, Supplier<@Nullable String> arguments) {}
