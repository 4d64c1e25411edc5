package dev.weir.auth;

import java.net.InetAddress;
import java.util.Arrays;

/**
 * A block of addresses that have their first bits in common, or one address. IPv4 addresses are in blocks of IPv4 only, however
 * they are written. Immutable.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc4632#section-3.1">RFC 4632, 3.1: CIDR notation</a>
 */
final class AddressBlock {

    private static final int V4_BITS = 32;
    private static final int V6_BITS = 128;
    private static final int MAPPED_BITS = V6_BITS - V4_BITS;

    private final byte[] network;
    private final int bits;

    private AddressBlock(byte[] network, int bits) {
        this.network = network;
        this.bits = bits;
    }

    /**
     * Reads {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or an address alone.
     *
     * @throws IllegalArgumentException with the rule that the text breaks
     */
    static AddressBlock of(String text) {
        int slash = text.indexOf('/');
        String literal = slash < 0 ? text : text.substring(0, slash);
        InetAddress address = ClientAddress.parse(literal);
        if (address == null) {
            throw new IllegalArgumentException("must be addresses and blocks such as 10.0.0.0/8 or 2001:db8::/32, and ["
                    + text + "] is neither; names are not looked up");
        }
        byte[] network = address.getAddress();
        int most = network.length * Byte.SIZE;
        int bits = slash < 0 ? most : bits(text, text.substring(slash + 1), literal.indexOf(':') >= 0, most);
        if (!Arrays.equals(network, cut(network, bits))) {
            throw new IllegalArgumentException(
                    "[" + text + "] is no block, because the address has bits behind the first " + bits
                            + ": the address alone, or the block's first address, is meant");
        }
        return new AddressBlock(network, bits);
    }

    /** The length of the prefix, counted in the address as it is kept: 96 less for an IPv4 address that is written as IPv6. */
    private static int bits(String text, String prefix, boolean v6, int most) {
        int mapped = v6 && most == V4_BITS ? MAPPED_BITS : 0;
        int bits = prefix.matches("0|[1-9][0-9]{0,2}") ? Integer.parseInt(prefix) - mapped : -1;
        if (bits < 0 || bits > most) {
            throw new IllegalArgumentException(
                    "the prefix of [" + text + "] must be from " + mapped + " to " + (most + mapped));
        }
        return bits;
    }

    boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == network.length && Arrays.equals(network, cut(bytes, bits));
    }

    /** The address with all bits behind the first ones zero. */
    private static byte[] cut(byte[] address, int bits) {
        byte[] cut = new byte[address.length];
        int whole = bits / Byte.SIZE;
        System.arraycopy(address, 0, cut, 0, whole);
        if (whole < cut.length) {
            cut[whole] = (byte) (address[whole] & 0xff00 >> bits % Byte.SIZE);
        }
        return cut;
    }
}
