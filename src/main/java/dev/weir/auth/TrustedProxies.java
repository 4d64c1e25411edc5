package dev.weir.auth;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/**
 * The proxies whose word is taken for where a request comes from. What they say is read from the right, because each adds to
 * what it was told, and only what one of them has added is believed: up to the first address that is none of theirs, or up to
 * where no address is named. Immutable.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7239#section-8.1">RFC 7239, 8.1: header validity</a>
 */
public final class TrustedProxies {

    /** Nobody's word is taken. */
    public static final TrustedProxies NONE = new TrustedProxies(AddressBlocks.NONE, ForwardedHeader.X_FORWARDED_FOR);

    /** Nobody has more proxies than this, and what is behind them is not looked at. */
    static final int MOST_HOPS = 32;

    private final AddressBlocks blocks;
    private final ForwardedHeader header;

    private TrustedProxies(AddressBlocks blocks, ForwardedHeader header) {
        this.blocks = blocks;
        this.header = header;
    }

    /**
     * The proxies at these addresses.
     *
     * @param entries addresses, and blocks in CIDR notation
     * @param header  where they say for whom they send
     * @throws IllegalArgumentException with an entry that is none, and the rule
     */
    public static TrustedProxies of(Collection<String> entries, ForwardedHeader header) {
        return new TrustedProxies(AddressBlocks.of(entries), header);
    }

    /** Whether this is the address literal of one of them. */
    public boolean include(String literal) {
        return blocks.include(literal);
    }

    /**
     * Where a request comes from.
     *
     * @param peer  the address literal of the other end of the connection
     * @param lines the lines of a header field, by its name
     */
    public Sender sender(String peer, Function<String, List<String>> lines) {
        String bare = ClientAddress.bare(peer);
        if (!include(bare)) {
            return Sender.direct(bare);
        }
        List<String> hops = new ArrayList<>(List.of(bare));
        ForwardedList list = new ForwardedList(header, lines.apply(header.field()));
        Hop said = Hop.UNKNOWN;
        for (Hop hop = list.next();
                hop != null && hop.address() != null && hops.size() < MOST_HOPS;
                hop = list.next()) {
            hops.add(hop.address().getHostAddress());
            said = hop;
            if (!blocks.include(hop.address())) {
                break;
            }
        }
        Collections.reverse(hops);
        Hop asked = header == ForwardedHeader.FORWARDED ? said : Hop.beside(lines);
        return new Sender(hops.get(0), hops, asked.scheme(), asked.host());
    }
}
