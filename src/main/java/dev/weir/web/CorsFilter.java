package dev.weir.web;

import dev.weir.auth.ClientAddress;
import dev.weir.auth.Sender;
import dev.weir.mcp.ForwardedAs;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The first filter: gives a request its id, refuses foreign hosts and origins, answers preflights, and lets pages of allowed
 * origins read every answer, refusals too.
 *
 * @see <a href="https://fetch.spec.whatwg.org/#http-cors-protocol">Fetch: the CORS protocol</a>
 */
public final class CorsFilter extends HttpFilter {

    private static final String REQUEST_ID = "X-Request-ID";

    private static final String EXPOSED =
            "Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-Id, WWW-Authenticate, Retry-After, RateLimit,"
                    + " RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-ID";

    private final OriginRule origins;
    private final PublicBase base;
    private final Preflights preflights;
    private final Arrivals arrivals;
    private final Refusals refusals;

    public CorsFilter(
            OriginRule origins, PublicBase base, Preflights preflights, Arrivals arrivals, Refusals refusals) {
        this.origins = origins;
        this.base = base;
        this.preflights = preflights;
        this.arrivals = arrivals;
        this.refusals = refusals;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse bare, FilterChain chain)
            throws IOException, ServletException {
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            chain.doFilter(request, Visit.of(request).answer().over(bare));
            return;
        }
        String path = RequestPath.of(request);
        Sender sender = base.sender(request);
        Visit visit = arrivals.begin(request, path, sender.address());
        HttpServletResponse response = visit.answer().over(bare);
        response.setHeader(REQUEST_ID, visit.requestId());
        ForwardedAs forwarded = base.forwarded(request, sender);
        request.setAttribute(ForwardedAs.ATTRIBUTE, forwarded);
        String host = OriginRule.authority(request);
        List<String> origin = Collections.list(request.getHeaders("Origin"));
        // Also where there is no origin, because a cache may keep the answer for a page that has one.
        response.addHeader("Vary", "Origin");
        if (!origins.allowsHost(host, request.getRemoteAddr())) {
            refusals.plain(visit, request, response, Refusal.HOST);
        } else if (!allows(origin, OriginRule.own(forwarded.scheme(), host), near(request, sender))) {
            refusals.plain(visit, request, response, Refusal.ORIGIN);
        } else {
            origin.forEach(one -> fields(one).forEach(response::setHeader));
            if (path == null) {
                refusals.plain(visit, request, response, Refusal.PATH);
            } else if (!origin.isEmpty() && Preflights.isOne(request)) {
                preflights.answer(request, response);
            } else {
                chain.doFilter(request, response);
            }
        }
    }

    /** The header fields by which a page of an allowed origin may read an answer. */
    public static Map<String, String> fields(String origin) {
        return Map.of("Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", EXPOSED);
    }

    /** No browser sends more than one; which of them would somebody further on believe? */
    private boolean allows(List<String> origin, String own, String near) {
        return origin.isEmpty() || (origin.size() == 1 && origins.allowsOrigin(origin.get(0), own, near));
    }

    /** The one of the two ends of the way that is further off: a page on this machine calls Weir on this machine directly. */
    private static String near(HttpServletRequest request, Sender sender) {
        String peer = request.getRemoteAddr();
        return ClientAddress.isLoopback(peer) ? sender.address() : peer;
    }
}
