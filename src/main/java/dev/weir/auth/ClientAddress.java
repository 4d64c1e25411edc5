package dev.weir.auth;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Addresses as the limiter tells them apart. */
public final class ClientAddress {

    /** In decimals without leading zeros, which some take for octal numbers. */
    private static final Pattern V4 =
            Pattern.compile("(OCTET\\.){3}OCTET".replace("OCTET", "(25[0-5]|(2[0-4]|1?[1-9])?[0-9]|10[0-9])"));

    private static final Pattern V6 = Pattern.compile("[0-9a-fA-F:][0-9a-fA-F:.]{1,44}");

    private ClientAddress() {}

    /**
     * What an address counts as: an IPv4 address as itself, an IPv6 address as its /64, because whoever has one of those has
     * all of them.
     *
     * @param literal an address literal, with or without brackets or a zone; anything else counts as written, cut to a length
     *                that no literal exceeds
     */
    public static String block(String literal) {
        String bare = bare(literal);
        InetAddress address = parse(bare);
        if (address == null) {
            return bare.substring(0, Math.min(bare.length(), 64));
        }
        if (!(address instanceof Inet6Address)) {
            return address.getHostAddress();
        }
        byte[] bytes = address.getAddress();
        StringBuilder block = new StringBuilder(24);
        for (int i = 0; i < 8; i += 2) {
            block.append(Integer.toHexString(((bytes[i] & 0xff) << 8) | (bytes[i + 1] & 0xff)))
                    .append(':');
        }
        return block.append(":/64").toString();
    }

    /** Whether a text is an address literal, without brackets and zone. */
    public static boolean isLiteral(String text) {
        return parse(text) != null;
    }

    /** Whether an address literal is one of this machine's own loopback. */
    public static boolean isLoopback(String literal) {
        InetAddress address = parse(bare(literal));
        return address != null && address.isLoopbackAddress();
    }

    /** A literal without brackets or a zone. */
    static String bare(String literal) {
        String bare = literal;
        if (bare.startsWith("[") && bare.endsWith("]")) {
            bare = bare.substring(1, bare.length() - 1);
        }
        int zone = bare.indexOf('%');
        return zone < 0 ? bare : bare.substring(0, zone);
    }

    /**
     * The address that a literal without brackets and zone stands for, an IPv4-mapped IPv6 one as the IPv4 address that it is.
     *
     * @return null if it is none; no name is ever looked up
     */
    static @Nullable InetAddress parse(String literal) {
        try {
            if (V4.matcher(literal).matches()) {
                return InetAddress.getByAddress(octets(literal));
            }
            // Only what can be nothing but a literal is handed on, because anything else would be looked up in the DNS.
            return V6.matcher(literal).matches() && literal.indexOf(':') >= 0 ? InetAddress.getByName(literal) : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static byte[] octets(String v4) {
        String[] parts = v4.split("\\.", 4);
        byte[] octets = new byte[parts.length];
        for (int i = 0; i < parts.length; i++) {
            octets[i] = (byte) Integer.parseInt(parts[i]);
        }
        return octets;
    }
}
