package dev.weir.auth;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a request comes from, as far as somebody who is believed says so. Immutable.
 *
 * @param address whoever sends it: an address literal without brackets
 * @param hops    the addresses that it came through, the sender's first and the peer's last
 * @param scheme  {@code http} or {@code https}, which the sender used; null if nobody who is believed says
 * @param host    the name, with a port or without, that the sender asked for; null if nobody who is believed says
 */
public record Sender(
        String address,
        List<String> hops,
        @Nullable String scheme,
        @Nullable String host) {

    public Sender {
        hops = List.copyOf(hops);
    }

    /** One whose connection ends here. */
    static Sender direct(String peer) {
        return new Sender(peer, List.of(peer), null, null);
    }
}
