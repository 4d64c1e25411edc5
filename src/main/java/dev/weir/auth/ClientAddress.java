package dev.weir.auth;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** Addresses as the limiter tells them apart. */
public final class ClientAddress {

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

    /** Whether an address literal is one of this machine's own loopback. */
    public static boolean isLoopback(String literal) {
        InetAddress address = parse(bare(literal));
        return address != null && address.isLoopbackAddress();
    }

    private static String bare(String literal) {
        String bare = literal;
        if (bare.startsWith("[") && bare.endsWith("]")) {
            bare = bare.substring(1, bare.length() - 1);
        }
        int zone = bare.indexOf('%');
        return zone < 0 ? bare : bare.substring(0, zone);
    }

    private static @Nullable InetAddress parse(String literal) {
        // Only what can be nothing but a literal is handed on, because anything else would be looked up in the DNS.
        boolean v6 = literal.indexOf(':') >= 0;
        boolean v4 = literal.matches("\\d{1,3}(\\.\\d{1,3}){3}");
        if (!v4 && !v6) {
            return null;
        }
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
