package dev.weir.proxy;

import dev.weir.upstream.Breaker;
import dev.weir.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/** Which upstream stands behind a public path. Filled from the policy; must be safe for use by many threads. */
public interface Routes {

    /**
     * The upstream of the longest prefix that matches by whole path segments, or null if there is none.
     *
     * @param path the request's path within the web application, decoded, beginning with a slash
     */
    @Nullable
    Upstream find(String path);

    /** The breaker of the route that an upstream was found by; null if it has none. */
    default @Nullable Breaker breaker(Upstream upstream) {
        return null;
    }
}
