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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The first filter: gives a request its id, refuses foreign hosts and origins, answers preflights, and lets pages of allowed
 * origins read every answer, refusals too.
 *
 * @see <a href="https://fetch.spec.whatwg.org/#http-cors-protocol">Fetch: the CORS protocol</a>
 */
public final class CorsFilter extends HttpFilter {

    private static final String REQUEST_ID = "X-Request-ID";

    private static final Set<String> ALLOWED_HEADERS = Set.of(
            "accept",
            "authorization",
            "content-type",
            "last-event-id",
            "mcp-method",
            "mcp-name",
            "mcp-protocol-version",
            "mcp-session-id",
            "traceparent",
            "tracestate",
            "x-api-key",
            "x-request-id");

    private static final String ALLOWED_PATTERN = "mcp-param-";
    private static final String EXPOSED =
            "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, Retry-After, RateLimit,"
                    + " RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-ID";

    private final OriginRule origins;
    private final PublicBase base;
    private final RequestIds requestIds;
    private final Refusals refusals;
    private final LongSupplier nanoClock;

    public CorsFilter(
            OriginRule origins, PublicBase base, RequestIds requestIds, Refusals refusals, LongSupplier nanoClock) {
        this.origins = origins;
        this.base = base;
        this.requestIds = requestIds;
        this.refusals = refusals;
        this.nanoClock = nanoClock;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            chain.doFilter(request, response);
            return;
        }
        long arrived = nanoClock.getAsLong();
        String id = requestIds.of(request.getHeader(REQUEST_ID));
        String path = RequestPath.of(request);
        Sender sender = base.sender(request);
        Visit visit = Visit.begin(request, id, path == null ? "/" : path, sender.address(), arrived);
        request.setAttribute(ForwardedAs.ATTRIBUTE, base.forwarded(request, sender));
        response.setHeader(REQUEST_ID, id);
        String origin = request.getHeader("Origin");
        String host = OriginRule.authority(request);
        if (!origins.allowsHost(host, request.getRemoteAddr())) {
            refusals.plain(visit, request, response, Refusal.HOST);
        } else if (origin != null && !origins.allowsOrigin(origin, host, near(request, sender))) {
            refusals.plain(visit, request, response, Refusal.ORIGIN);
        } else {
            if (origin != null) {
                share(response, origin);
            }
            if (path == null) {
                refusals.plain(visit, request, response, Refusal.PATH);
            } else if (origin != null && isPreflight(request)) {
                answerPreflight(request, response);
            } else {
                chain.doFilter(request, response);
            }
        }
    }

    /** The one of the two ends of the way that is further off: a page on this machine calls Weir on this machine directly. */
    private static String near(HttpServletRequest request, Sender sender) {
        String peer = request.getRemoteAddr();
        return ClientAddress.isLoopback(peer) ? sender.address() : peer;
    }

    private static boolean isPreflight(HttpServletRequest request) {
        return request.getMethod().equals("OPTIONS") && request.getHeader("Access-Control-Request-Method") != null;
    }

    private static void share(HttpServletResponse response, String origin) {
        response.setHeader("Access-Control-Allow-Origin", origin);
        response.addHeader("Vary", "Origin");
        response.setHeader("Access-Control-Expose-Headers", EXPOSED);
    }

    private static void answerPreflight(HttpServletRequest request, HttpServletResponse response) {
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
        // A route of MCP has the first three of them, and says so by itself.
        response.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE, PUT, PATCH, HEAD");
        response.setHeader("Access-Control-Allow-Headers", String.join(", ", allowed(request)));
        response.setHeader("Access-Control-Max-Age", "600");
    }

    private static List<String> allowed(HttpServletRequest request) {
        List<String> allowed = new ArrayList<>(ALLOWED_HEADERS);
        String asked = request.getHeader("Access-Control-Request-Headers");
        for (String header : parts(asked)) {
            // CORS knows no prefixes, so the fields that mirror a tool's parameters are allowed as they are asked for.
            if (header.startsWith(ALLOWED_PATTERN) && header.matches("[a-z0-9-]{1,100}")) {
                allowed.add(header);
            }
        }
        return allowed;
    }

    private static String[] parts(@Nullable String list) {
        return list == null ? new String[0] : list.toLowerCase(Locale.ROOT).split("[,\\s]+", 50);
    }
}
