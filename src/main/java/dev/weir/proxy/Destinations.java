package dev.weir.proxy;

import dev.weir.upstream.TargetCall;
import dev.weir.upstream.Targets;
import dev.weir.upstream.Upstream;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where requests go: to which of a route's targets, and to which address there. Safe for use by many threads. */
final class Destinations {

    private final Targets targets;
    private final LegacyStreams streams;

    Destinations(Targets targets, LegacyStreams streams) {
        this.targets = targets;
        this.streams = streams;
    }

    /**
     * Which target a request for an MCP server goes to; null if it is for a stream that its sender has not opened.
     *
     * @param session the upstream's own id of the session that it is for; null for none
     */
    @Nullable
    TargetCall choose(HttpServletRequest request, Upstream route, String owner, @Nullable String session) {
        String sent = sent(request);
        if (!MessagePaths.isOne(route.prefix(), sent)) {
            return targets.choose(route, owner, session);
        }
        if (request.getMethod().equals("POST")) {
            for (URI base : route.targets()) {
                if (streams.target(route.at(base), owner, sent, request.getQueryString()) != null) {
                    return targets.fixed(route, owner, base);
                }
            }
        }
        return null;
    }

    /** Which target a request goes to of which nothing is known but whose it is. */
    TargetCall chooseUnread(Upstream route, String owner) {
        return targets.choose(route, owner, null);
    }

    /**
     * The address at a target.
     *
     * @throws IllegalArgumentException if there can be no such address
     */
    URI address(HttpServletRequest request, Upstream upstream, String owner) {
        String sent = sent(request);
        URI named = MessagePaths.isOne(upstream.prefix(), sent)
                ? streams.target(upstream, owner, sent, request.getQueryString())
                : null;
        return named == null ? upstream.target(sent, request.getQueryString()) : named;
    }

    /** The same for a request of which nobody has read more than the head. */
    static URI addressUnread(HttpServletRequest request, Upstream upstream) {
        return upstream.target(sent(request), request.getQueryString());
    }

    /** The address at another target; the request itself may be gone by then. */
    static Function<Upstream, URI> again(HttpServletRequest request) {
        String sent = sent(request);
        String query = request.getQueryString();
        return upstream -> upstream.target(sent, query);
    }

    /** The path within the web application, as it was sent. */
    private static String sent(HttpServletRequest request) {
        return request.getRequestURI().substring(request.getContextPath().length());
    }
}
