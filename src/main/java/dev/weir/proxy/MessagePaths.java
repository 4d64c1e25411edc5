package dev.weir.proxy;

import dev.weir.upstream.Upstream;
import java.net.URI;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The public addresses under which clients of HTTP+SSE reach the addresses that their upstream has told them: the route's
 * prefix, a segment that is kept for this, a seal, and then path and query as the upstream wrote them. The seal is made
 * over all that the address means: owner, route, origin, path and query. So a client reaches nothing but what its own
 * upstream has named to itself, and nothing has to be remembered. Safe for use by many threads.
 */
final class MessagePaths {

    /** What follows the prefix. A route's upstream cannot be asked for a path that begins so. */
    static final String SEGMENT = "/~sse/";

    /** What every client, container and upstream sends on as it is; the seal breaks when a byte changes. */
    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~$&()*+,=:@-]+)+/?");

    private static final Pattern QUERY = Pattern.compile("([A-Za-z0-9._~$&()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*");

    private static final String PURPOSE = "message-path";

    private final Seals seals;

    MessagePaths(Seals seals) {
        this.seals = seals;
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
                + seals.of(PURPOSE, sealed(upstream, owner, path, query))
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
        int end = stem.length() + Seals.LENGTH;
        if (!path.startsWith(stem) || path.length() <= end) {
            return null;
        }
        String rest = path.substring(end);
        if (!seals.fits(path.substring(stem.length(), end), PURPOSE, sealed(upstream, owner, rest, query))) {
            return null;
        }
        return URI.create(upstream.origin() + (query == null ? rest : rest + "?" + query));
    }

    private static @Nullable String[] sealed(Upstream upstream, String owner, String path, @Nullable String query) {
        return new @Nullable String[] {owner, upstream.prefix(), upstream.origin(), path, query};
    }

    private static String stem(String prefix) {
        return prefix.equals("/") ? SEGMENT : prefix + SEGMENT;
    }
}
