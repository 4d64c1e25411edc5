package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import dev.weir.telemetry.Observation;
import dev.weir.telemetry.UpstreamObservation;
import dev.weir.upstream.Breaker;
import dev.weir.upstream.BreakerCall;
import dev.weir.upstream.CallReport;
import dev.weir.upstream.CallWatch;
import dev.weir.upstream.Header;
import dev.weir.upstream.TargetCall;
import dev.weir.upstream.Targets;
import dev.weir.upstream.Upstream;
import dev.weir.upstream.UpstreamClient;
import dev.weir.upstream.UpstreamRequest;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The end of the chain: sends a judged request to its upstream and the answer back, asynchronously.
 *
 * <p>An answer that breaks off in the middle makes the request come through the chain once more, as an ASYNC dispatch, in
 * which this servlet throws. Filters that wait for the end of a request have to be mapped for such dispatches and take the
 * exception for the end, because Jetty tells the listeners of an aborted request nothing; {@link JudgedRequest#FAILURE} has
 * the reason by then.
 */
public final class ProxyServlet extends HttpServlet {

    /** The method of a modern request whose answer stays open; its older counterpart is a GET. */
    private static final String LISTEN = "subscriptions/listen";

    private static final Set<String> METHODS = Set.of("GET", "POST", "DELETE");

    /** What speaks to those on the way, and would be answered with what only they may see. */
    private static final Set<String> NEVER_PASSED = Set.of("TRACE", "CONNECT");

    /** Over HTTP/2 nothing tells beforehand that a request has no body; these have none as a rule. */
    private static final Set<String> BODILESS = Set.of("GET", "HEAD", "DELETE", "OPTIONS");

    private final transient Routes routes;
    private final transient Destinations destinations;
    private final transient UpstreamClient client;
    private final transient Exchanges exchanges;
    private final transient LegacyStreams streams;
    private final transient SessionIds sessions;
    private final transient ClientHeader clientHeader;

    /**
     * @param streams has the seals that sessions carry as well
     * @param clock   the wall clock
     */
    public ProxyServlet(
            Routes routes,
            Targets targets,
            UpstreamClient client,
            Exchanges exchanges,
            LegacyStreams streams,
            InstantSource clock) {
        this.routes = routes;
        this.destinations = new Destinations(targets, streams);
        this.client = client;
        this.exchanges = exchanges;
        this.streams = streams;
        this.sessions = new SessionIds(streams.seals());
        this.clientHeader = new ClientHeader(clock);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getAttribute(Conclusion.BROKEN) != null) {
            throw new IOException("answer broken off: " + request.getAttribute(JudgedRequest.FAILURE));
        }
        JudgedRequest judged = (JudgedRequest) request.getAttribute(JudgedRequest.ATTRIBUTE);
        Upstream upstream = routes.find(path(request));
        if (upstream == null) {
            refuse(ProxyError.ROUTE_NOT_FOUND, request, response, judged);
        } else if (upstream.manners().mcp() && !METHODS.contains(request.getMethod())) {
            refuse(ProxyError.METHOD_NOT_ALLOWED, request, response, judged);
        } else if (NEVER_PASSED.contains(request.getMethod())) {
            refuse(ProxyError.METHOD_NOT_PASSED, request, response, judged);
        } else if (judged == null) {
            throw new IllegalStateException("no filter has judged this request");
        } else if (judged.isUnread() == upstream.manners().mcp()) {
            // The route was of the other kind when the request was judged, so this is not what was judged.
            refuse(ProxyError.BUSY, request, response, judged);
        } else if (judged.isUnread()) {
            forwardUnread(request, response, judged, upstream);
        } else {
            forward(request, response, judged, upstream);
        }
    }

    private void forward(HttpServletRequest request, HttpServletResponse response, JudgedRequest judged, Upstream route)
            throws IOException {
        String owner = owner(request);
        SessionIds.Asked session = session(request, judged, route, owner);
        if (!session.known()) {
            refuse(ProxyError.SESSION_NOT_FOUND, request, response, judged);
            return;
        }
        TargetCall call = destinations.choose(request, route, owner, session.id());
        if (call == null) {
            refuse(ProxyError.ROUTE_NOT_FOUND, request, response, judged);
            return;
        }
        Upstream upstream = call.upstream();
        URI target;
        try {
            target = destinations.address(request, upstream, owner);
        } catch (IllegalArgumentException e) {
            call.left();
            request.setAttribute(JudgedRequest.FAILURE, e.getMessage());
            refuse(ProxyError.BAD_ADDRESS, request, response, judged);
            return;
        }
        Expectation expected = expectation(request, judged, upstream, target);
        if (expected.legacy() != null) {
            // What the stream names is on this target's origin.
            call.stay();
        }
        // Read before going async: afterwards the request belongs to the container.
        List<Header> up = HopHeaders.up(request, judged, session.id(), expected.tools() != null);
        UpstreamRequest upstreamRequest = new UpstreamRequest(
                request.getMethod(),
                target,
                headers(request, upstream, up),
                ByteBuffer.wrap(judged.body()),
                isLongLived(request, judged));
        exchange(request, response, call, upstreamRequest, expected);
    }

    private Expectation expectation(HttpServletRequest request, JudgedRequest judged, Upstream upstream, URI target) {
        String owner = owner(request);
        return new Expectation(
                request.getMethod().equals("GET")
                        ? new LegacyStream(streams, upstream, target, request.getContextPath(), owner)
                        : null,
                HopHeaders.takesLateStream(request, judged) ? new PromisedStream() : null,
                sessions.telling(owner, upstream.prefix()),
                ListedTools.cutting(request, judged));
    }

    /** What a request says of its session, of which there are none in the modern era. */
    private SessionIds.Asked session(HttpServletRequest request, JudgedRequest judged, Upstream route, String owner) {
        return HopHeaders.isModern(judged.message())
                ? SessionIds.Asked.NONE
                : sessions.asked(owner, route.prefix(), Collections.list(request.getHeaders(SessionIds.HEADER)));
    }

    private void forwardUnread(
            HttpServletRequest request, HttpServletResponse response, JudgedRequest judged, Upstream route)
            throws IOException {
        TargetCall call = destinations.chooseUnread(route, owner(request));
        Upstream upstream = call.upstream();
        URI target;
        try {
            target = Destinations.addressUnread(request, upstream);
        } catch (IllegalArgumentException e) {
            call.left();
            request.setAttribute(JudgedRequest.FAILURE, e.getMessage());
            refuse(ProxyError.BAD_ADDRESS, request, response, judged);
            return;
        }
        boolean preservesHost = upstream.manners().preservesHost();
        Upload upload = hasBody(request)
                ? new Upload(
                        request.getInputStream(),
                        request.getContentLengthLong(),
                        upstream.limits().maxBodyBytes(),
                        request.getHeader("Expect") == null)
                : null;
        UpstreamRequest upstreamRequest = new UpstreamRequest(
                request.getMethod(),
                target,
                headers(request, upstream, HopHeaders.upUnread(request, judged.requestId(), preservesHost)),
                ByteBuffer.allocate(0),
                upload,
                HopHeaders.opensStream(request));
        PublicAddress address = new PublicAddress(
                upstream, target, request.getContextPath(), preservesHost ? request.getHeader("Host") : null);
        PassThrough plain = new PassThrough(
                request.getMethod(), upload, address, upstream.manners().errors());
        exchange(request, response, call, upstreamRequest, Expectation.of(plain));
    }

    /** What goes up of the client's headers, and what the route adds. */
    private List<Header> headers(HttpServletRequest request, Upstream upstream, List<Header> up) {
        String client = (String) request.getAttribute(JudgedRequest.CLIENT);
        return clientHeader.with(upstream, client, upstream.access().over(up));
    }

    private void exchange(
            HttpServletRequest request,
            HttpServletResponse response,
            TargetCall call,
            UpstreamRequest upstreamRequest,
            Expectation expected)
            throws IOException {
        JudgedRequest judged = judged(request);
        Upstream upstream = call.upstream();
        List<CallWatch> watches = admit(call, upstreamRequest, request, response, expected);
        if (watches == null) {
            return;
        }
        UpstreamObservation seen = observed(request, upstream, upstreamRequest);
        if (seen != null) {
            watches.add(new ObservedCall(seen));
        }
        CallReport report = new CallReport(watches);
        boolean started = false;
        try {
            UpstreamRequest sent = upstreamRequest;
            UpstreamClient sender = client;
            if (seen != null) {
                sent = TracedCall.naming(seen, upstreamRequest, judged.body());
                sender = TracedCall.telling(seen, client);
            }
            UpstreamClient way = call.through(sender, Destinations.again(request));
            AsyncContext async = request.startAsync(request, response);
            new Exchange(upstream, judged, async, exchanges, expected, report).start(way, sent);
            started = true;
        } finally {
            if (!started) {
                report.left();
            }
        }
    }

    private static @Nullable UpstreamObservation observed(
            HttpServletRequest request, Upstream upstream, UpstreamRequest call) {
        return request.getAttribute(Observation.ATTRIBUTE) instanceof Observation observation
                ? observation.call(upstream.prefix(), call.longLived())
                : null;
    }

    private static String owner(HttpServletRequest request) {
        return Objects.requireNonNull(
                (String) request.getAttribute(JudgedRequest.OWNER), "no filter has said whose request this is");
    }

    private static JudgedRequest judged(HttpServletRequest request) {
        return Objects.requireNonNull(
                (JudgedRequest) request.getAttribute(JudgedRequest.ATTRIBUTE), "no filter has judged this request");
    }

    /**
     * Asks the route's breaker.
     *
     * @return who is to be told how the call goes; null if it does not let the call through, which the client has been told
     */
    private @Nullable List<CallWatch> admit(
            TargetCall target,
            UpstreamRequest upstreamRequest,
            HttpServletRequest request,
            HttpServletResponse response,
            Expectation expected)
            throws IOException {
        List<CallWatch> watches = new ArrayList<>(List.of(target));
        Breaker breaker = routes.breaker(target.upstream());
        BreakerCall call = breaker == null
                ? null
                : breaker.admit(target.upstream().manners().mcp() && upstreamRequest.longLived());
        if (breaker == null || call != null) {
            if (call != null) {
                watches.add(call);
            }
            return watches;
        }
        target.left();
        CircuitOpen open = CircuitOpen.of(breaker);
        JudgedRequest judged = judged(request);
        judged.served();
        if (upstreamRequest.streamed() != null) {
            AsyncContext async = request.startAsync(request, response);
            new Exchange(target.upstream(), judged, async, exchanges, expected, new CallReport(List.of()))
                    .turnAway(open);
            return null;
        }
        request.setAttribute(JudgedRequest.FAILURE, open.words());
        open.write(request, response, judged);
        return null;
    }

    private static boolean hasBody(HttpServletRequest request) {
        long length = request.getContentLengthLong();
        if (length >= 0) {
            return length > 0;
        }
        return request.getHeader("Transfer-Encoding") != null
                || (request.getProtocol().startsWith("HTTP/2") && !BODILESS.contains(request.getMethod()));
    }

    /** The same path that the filters saw, so that they and this servlet cannot mean two different routes. */
    private static String path(HttpServletRequest request) {
        String rest = request.getPathInfo();
        return rest == null ? request.getServletPath() : request.getServletPath() + rest;
    }

    private static boolean isLongLived(HttpServletRequest request, JudgedRequest judged) {
        return request.getMethod().equals("GET")
                || (judged.message() != null && LISTEN.equals(judged.message().method()));
    }

    private static void refuse(
            ProxyError error, HttpServletRequest request, HttpServletResponse response, @Nullable JudgedRequest judged)
            throws IOException {
        if (judged != null) {
            judged.served();
        }
        if (request.getMethod().equals("HEAD")) {
            error.head(response);
        } else {
            error.write(response, judged);
        }
    }
}
