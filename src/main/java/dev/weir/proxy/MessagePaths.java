package dev.weir.proxy;

import dev.weir.upstream.Upstream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The public addresses under which clients of HTTP+SSE reach the addresses that their upstream has told them: the route's
 * prefix, a segment that is kept for this, a seal, and then path and query as the upstream wrote them. The seal is made with
 * a key over all that the address means: owner, route, origin, path and query. So a client reaches nothing but what its own
 * upstream has named to itself, and nothing has to be remembered. Safe for use by many threads.
 */
final class MessagePaths {

    /** What follows the prefix. A route's upstream cannot be asked for a path that begins so. */
    static final String SEGMENT = "/~sse/";

    private static final String ALGORITHM = "HmacSHA256";
    private static final int SEAL_LENGTH = 43;

    /** What every client, container and upstream sends on as it is; the seal breaks when a byte changes. */
    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~$&()*+,=:@-]+)+/?");

    private static final Pattern QUERY = Pattern.compile("([A-Za-z0-9._~$&()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*");

    private final SecretKeySpec key;

    /** @param key a secret of at least 32 bytes; who has it can make addresses that Weir believes in */
    MessagePaths(byte[] key) {
        if (key.length < 32) {
            throw new IllegalArgumentException("a key of " + key.length + " bytes is too short");
        }
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** Whether a path below a prefix is one that this class makes. */
    static boolean isOne(String prefix, String path) {
        return path.startsWith(stem(prefix));
    }

    /**
     * The public address of an endpoint.
     *
     * @param endpoint on the origin of the upstream
     * @return path and query, without the web application's own path
     * @throws IllegalArgumentException if path or query cannot be passed through without being changed on the way
     */
    String publish(Upstream upstream, String owner, URI endpoint) {
        String path = endpoint.getRawPath();
        String query = endpoint.getRawQuery();
        if (!PATH.matcher(path).matches() || path.matches(".*/\\.\\.?(/.*)?")) {
            throw new IllegalArgumentException("its path is not in one plain form");
        }
        if (query != null && !QUERY.matcher(query).matches()) {
            throw new IllegalArgumentException("its query is not in one plain form");
        }
        return stem(upstream.prefix())
                + seal(upstream, owner, path, query)
                + (query == null ? path : path + "?" + query);
    }

    /**
     * Where a message goes that was sent to a public address.
     *
     * @param path  the path within the web application, as it was sent
     * @param query the query as it was sent, or null
     * @return null if no such address was ever published to this owner
     */
    @Nullable
    URI target(Upstream upstream, String owner, String path, @Nullable String query) {
        String stem = stem(upstream.prefix());
        int end = stem.length() + SEAL_LENGTH;
        if (!path.startsWith(stem) || path.length() <= end) {
            return null;
        }
        String rest = path.substring(end);
        byte[] seal = path.substring(stem.length(), end).getBytes(StandardCharsets.UTF_8);
        byte[] right = seal(upstream, owner, rest, query).getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(seal, right)) {
            return null;
        }
        return URI.create(upstream.origin() + (query == null ? rest : rest + "?" + query));
    }

    private String seal(Upstream upstream, String owner, String path, @Nullable String query) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            for (String part : new String[] {owner, upstream.prefix(), upstream.origin(), path, query}) {
                byte[] bytes = part == null ? new byte[0] : part.getBytes(StandardCharsets.UTF_8);
                // Each with its length, so that no two lists of parts are one text.
                mac.update((part == null ? "-" : bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
                mac.update(bytes);
            }
            return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }

    private static String stem(String prefix) {
        return prefix.equals("/") ? SEGMENT : prefix + SEGMENT;
    }
}
