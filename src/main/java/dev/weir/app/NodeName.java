package dev.weir.app;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;

/**
 * What a Weir is called among others.
 *
 * @param host      the name of its host, by which people know it, and rows of the history say where they come from
 * @param id        the same with a few random digits, because several may run on one host, and one after the other
 * @param startedAt when it began
 */
record NodeName(String host, String id, Instant startedAt) {

    private static final int RANDOM_BYTES = 3;
    private static final int LONGEST_HOST = 200;

    /** A name for this process. */
    static NodeName make(Instant now) {
        String host = hostName();
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        return new NodeName(host, host + "#" + HexFormat.of().formatHex(random), now);
    }

    /** The name of this host. */
    static String hostName() {
        try {
            String name = InetAddress.getLocalHost().getHostName();
            return name.length() <= LONGEST_HOST ? name : name.substring(0, LONGEST_HOST);
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
