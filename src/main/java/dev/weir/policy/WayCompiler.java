package dev.weir.policy;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns what a row of {@code route} says about the way to its upstream into what it means. For one compilation by one thread. */
final class WayCompiler {

    /** The most different pairs of connect timeout and trust, each of which costs threads and memory. */
    static final int MOST_WAYS = 32;

    private static final URI NOWHERE = URI.create("http://invalid/");

    private record Way(Duration connect, @Nullable String tls) {}

    private final PolicyRows rows;
    private final NamedSettings named;
    private final Problems problems;
    private final HeaderCompiler headers;
    private final Set<Way> ways = new HashSet<>();

    WayCompiler(PolicyRows rows, NamedSettings named, Problems problems) {
        this.rows = rows;
        this.named = named;
        this.problems = problems;
        this.headers = new HeaderCompiler(rows.routeHeaders(), named, problems);
    }

    /** The headers of a route. */
    List<RouteHeader> headers(String prefix) {
        return headers.of(prefix);
    }

    /** The upstreams of a route beside its first. */
    List<URI> others(String prefix, URI first) {
        List<URI> others = new ArrayList<>();
        for (PolicyRows.RouteTarget row : rows.routeTargets()) {
            if (row.route().equals(prefix) && row.enabled()) {
                URI target = problems.check("route_target", prefix + " " + row.url(), () -> {
                    URI url = upstream("url", row.url());
                    if (url.equals(first)) {
                        throw new IllegalArgumentException("url must not be the route's own upstream_url");
                    }
                    return url;
                });
                if (target != null) {
                    others.add(target);
                }
            }
        }
        return others;
    }

    /** @throws IllegalArgumentException if a column cannot work as written; the message names it, the value and the rule */
    Transit transit(PolicyRows.Transit row) {
        Transit transit = Transit.of(row);
        if (transit.tls() != null && !named.hasTls(transit.tls())) {
            throw new IllegalArgumentException(
                    "tls must be a name of mcp.upstream-tls in the settings, of which there is no [" + row.tls() + "]");
        }
        ways.add(new Way(transit.connect(), transit.tls()));
        if (ways.size() > MOST_WAYS) {
            throw new IllegalArgumentException("all routes together may have " + MOST_WAYS
                    + " different pairs of connect_timeout_ms and tls, and this is one more");
        }
        return transit;
    }

    /**
     * The address of an upstream.
     *
     * @param column where it stands
     * @throws IllegalArgumentException if it is none; the message names the value and the rule
     */
    static URI upstream(String column, String url) {
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            uri = NOWHERE;
        }
        boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
        boolean bare = uri.getRawUserInfo() == null && uri.getRawQuery() == null && uri.getRawFragment() == null;
        if (uri.equals(NOWHERE) || !http || uri.getHost() == null || !bare) {
            throw new IllegalArgumentException(
                    column + " must be http(s)://host[:port][/path] and no more, which [" + url + "] is not");
        }
        return uri;
    }
}
