package dev.weir.proxy;

import dev.weir.upstream.Upstream;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Where a client finds what an upstream has named by an address of its own. An address of anybody else is not told: it may lead
 * into the inside, and always leads around the gateway.
 *
 * <p>Immutable.
 */
final class PublicAddress {

    private final Upstream upstream;
    private final URI asked;
    private final String contextPath;
    private final @Nullable String host;

    /**
     * @param asked       the upstream's address of the request
     * @param contextPath the path of the web application, which clients have to put before everything
     * @param host        the Host that the upstream was shown, if that is the client's; else null
     */
    PublicAddress(Upstream upstream, URI asked, String contextPath, @Nullable String host) {
        this.upstream = upstream;
        this.asked = asked;
        this.contextPath = contextPath;
        this.host = host;
    }

    /** The path, query and fragment by which a client comes to what the upstream has named; null if it cannot. */
    @Nullable
    String of(String location) {
        URI named = resolve(location);
        if (named == null || !isOwn(named)) {
            return null;
        }
        String path = named.getRawPath().isEmpty() ? "/" : named.getRawPath();
        String base = upstream.base().getRawPath();
        String root = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
        if (!isUnder(path, root)) {
            return null;
        }
        String rest = path.substring(root.length());
        String prefix = upstream.prefix().equals("/") ? "" : upstream.prefix();
        if (!upstream.manners().stripsPrefix() && !isUnder(rest, prefix)) {
            return null;
        }
        String shown = contextPath + (upstream.manners().stripsPrefix() ? prefix : "") + rest;
        if (shown.startsWith("//")) {
            // What looks like a path here is a host to whoever reads it.
            return null;
        }
        return (shown.isEmpty() ? "/" : shown)
                + (named.getRawQuery() == null ? "" : "?" + named.getRawQuery())
                + (named.getRawFragment() == null ? "" : "#" + named.getRawFragment());
    }

    private @Nullable URI resolve(String location) {
        URI base = asked.getRawPath().isEmpty() ? URI.create(Upstream.origin(asked) + "/") : asked;
        try {
            // RFC 2396, by which URI resolves, takes a query alone for something else than RFC 3986 does.
            return base.resolve(location.startsWith("?") ? base.getRawPath() + location : location)
                    .normalize();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private boolean isOwn(URI named) {
        if (named.getScheme() == null || named.getHost() == null || named.getRawUserInfo() != null) {
            return false;
        }
        return Upstream.origin(named).equals(Upstream.origin(asked))
                || (host != null && host.equalsIgnoreCase(named.getRawAuthority()));
    }

    private static boolean isUnder(String path, String root) {
        return path.startsWith(root) && (path.length() == root.length() || path.charAt(root.length()) == '/');
    }
}
