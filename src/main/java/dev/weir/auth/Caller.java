package dev.weir.auth;

import org.jspecify.annotations.Nullable;

/**
 * Who makes a call, and under what it is counted. The two differ where the {@link KeyStrategy} says so: a client that has
 * proven itself may be counted under its address.
 *
 * @param principal what buckets, strikes and bans are kept under
 * @param client    the id of the client that has proven itself; null if nobody has
 * @param exempt    whether its calls are never limited, and it is never banned
 */
public record Caller(Principal principal, @Nullable String client, boolean exempt) {

    /** The same client, but counted under something else. */
    Caller under(Principal other) {
        return new Caller(other, client, exempt);
    }

    /** Somebody about whom nothing is proven. */
    static Caller unknown(Principal principal) {
        return new Caller(principal, null, false);
    }
}
