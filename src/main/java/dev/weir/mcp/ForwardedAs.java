package dev.weir.mcp;

import org.jspecify.annotations.Nullable;

/**
 * How a request came, for whoever serves it. It travels as the request attribute {@link #ATTRIBUTE}. Immutable.
 *
 * @param hops   the addresses that it came through, the sender's first, separated by commas; nothing in it is unbelieved
 * @param scheme the scheme that the sender used
 * @param host   the name, with a port or without, that the sender asked for; null if there is none
 */
public record ForwardedAs(
        String hops, String scheme, @Nullable String host) {

    /** The request attribute that holds the {@code ForwardedAs}. */
    public static final String ATTRIBUTE = "dev.weir.forwarded";
}
