package dev.weir.proxy;

import dev.weir.mcp.Era;
import dev.weir.mcp.ForwardedAs;
import dev.weir.mcp.JudgedRequest;
import dev.weir.mcp.McpMessage;
import dev.weir.upstream.Header;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which headers go from one side to the other. Those that belong to one connection stop here, in both directions; so do the
 * client's credentials on the way up, and on the way down whatever Weir says for itself.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1">RFC 9110, 7.6.1, Connection, and 7.6.3, Via</a>
 */
final class HopHeaders {

    private static final Set<String> HOP_BY_HOP = Set.of(
            "connection",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authentication-info",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "http2-settings");

    /** The client's credentials, what is made anew here, and what would speak for another hop or for Weir. */
    private static final Set<String> NEVER_UP = Set.of(
            "authorization",
            "dpop",
            "x-api-key",
            "host",
            "content-length",
            "expect",
            "forwarded",
            "x-real-ip",
            "x-request-id");

    /** What a message of MCP has no use for, or what is known of it already. */
    private static final Set<String> NEVER_WITH_A_MESSAGE =
            Set.of("cookie", "content-type", "content-encoding", "mcp-session-id");

    private static final List<String> NEVER_UP_PREFIXES = List.of("x-forwarded-", "x-weir-");

    /** A legacy message may carry these with any content, and a server further on may trust them. */
    private static final Set<String> MODERN_ONLY = Set.of("mcp-method", "mcp-name");

    /** What only Weir may tell its clients, and what names the upstream's own address or software. */
    private static final Set<String> NEVER_DOWN = Set.of(
            "www-authenticate",
            "server",
            "location",
            "content-location",
            "refresh",
            "alt-svc",
            "x-request-id",
            "content-length");

    private static final List<String> NEVER_DOWN_PREFIXES = List.of("access-control-", "ratelimit", "x-ratelimit");

    private HopHeaders() {}

    /**
     * The headers of a request whose body nobody has read. What describes the body goes with it; so do cookies, which the
     * upstream has set.
     */
    static List<Header> upUnread(HttpServletRequest request, String requestId, boolean preservesHost) {
        Set<String> named = named(Collections.list(request.getHeaders("Connection")));
        List<Header> up = new ArrayList<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            if (!stopsHere(Header.key(name), named, NEVER_UP, NEVER_UP_PREFIXES)) {
                addLines(up, request, name);
            }
        }
        String host = request.getHeader("Host");
        if (preservesHost && host != null) {
            up.add(new Header("Host", host));
        }
        addOwn(up, request, requestId);
        return up;
    }

    /**
     * The headers of the request to the upstream.
     *
     * @param session  the upstream's own id of the session that the request is for; null for none
     * @param readable whether the answer has to be read here
     */
    static List<Header> up(
            HttpServletRequest request, JudgedRequest judged, @Nullable String session, boolean readable) {
        Set<String> named = named(Collections.list(request.getHeaders("Connection")));
        boolean modern = isModern(judged.message());
        boolean plain = readable || opensStream(request) || takesLateStream(request, judged);
        List<Header> up = new ArrayList<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            String key = Header.key(name);
            if (stopsHere(key, named, NEVER_UP, NEVER_UP_PREFIXES)
                    || NEVER_WITH_A_MESSAGE.contains(key)
                    || (!modern && MODERN_ONLY.contains(key))
                    || isMisspelled(name, key)
                    || (plain && key.equals("accept-encoding"))) {
                continue;
            }
            addLines(up, request, name);
        }
        if (plain) {
            // It may have to be looked into or put into events; and what encodes a stream tends to hold events back.
            up.add(new Header("Accept-Encoding", "identity"));
        }
        if (session != null) {
            up.add(new Header(SessionIds.HEADER, session));
        }
        if (judged.body().length > 0) {
            up.add(new Header("Content-Type", "application/json"));
        }
        addOwn(up, request, judged.requestId());
        return up;
    }

    /** Line by line: joining them is allowed for some headers only. */
    private static void addLines(List<Header> up, HttpServletRequest request, String name) {
        for (String value : Collections.list(request.getHeaders(name))) {
            up.add(new Header(name, value));
        }
    }

    private static void addOwn(List<Header> up, HttpServletRequest request, String requestId) {
        ForwardedAs came = Objects.requireNonNull(
                (ForwardedAs) request.getAttribute(ForwardedAs.ATTRIBUTE), "no filter has said how this request came");
        up.add(new Header("X-Forwarded-For", came.hops()));
        up.add(new Header("X-Forwarded-Proto", came.scheme()));
        if (came.host() != null) {
            up.add(new Header("X-Forwarded-Host", came.host()));
        }
        up.add(new Header("Via", "1.1 weir"));
        up.add(new Header("X-Request-ID", requestId));
    }

    /** The headers of the answer to the client. The length is left out: the container knows it, or is told. */
    static List<Header> down(List<Header> headers) {
        Set<String> named = named(headers.stream()
                .filter(header -> header.name().equalsIgnoreCase("Connection"))
                .map(Header::value)
                .toList());
        List<Header> down = new ArrayList<>(headers.size());
        for (Header header : headers) {
            if (!stopsHere(Header.key(header.name()), named, NEVER_DOWN, NEVER_DOWN_PREFIXES)) {
                down.add(header);
            }
        }
        return down;
    }

    private static boolean stopsHere(String key, Set<String> named, Set<String> never, List<String> prefixes) {
        return HOP_BY_HOP.contains(key)
                || named.contains(key)
                || never.contains(key)
                || prefixes.stream().anyMatch(key::startsWith);
    }

    private static Set<String> named(Collection<String> connection) {
        if (connection.isEmpty()) {
            return Set.of();
        }
        Set<String> named = new HashSet<>();
        for (String value : connection) {
            for (String option : value.split(",", -1)) {
                named.add(Header.key(option.strip()));
            }
        }
        return named;
    }

    /** A field of MCP with an underscore, which was compared with nothing, and which such servers take for the real one. */
    private static boolean isMisspelled(String name, String key) {
        return key.startsWith("mcp-") && name.indexOf('_') >= 0;
    }

    /** Whether a client would take a stream of events for the answer to its call, and by leaving it would cancel the call. */
    static boolean takesLateStream(HttpServletRequest request, JudgedRequest judged) {
        McpMessage message = judged.message();
        return isModern(message)
                && message != null
                && message.kind() == McpMessage.Kind.REQUEST
                && acceptsEvents(request);
    }

    /** Whether a client asks for a stream of events by a request of its own. */
    static boolean opensStream(HttpServletRequest request) {
        return request.getMethod().equals("GET") && acceptsEvents(request);
    }

    private static boolean acceptsEvents(HttpServletRequest request) {
        return Collections.list(request.getHeaders("Accept")).stream()
                .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains("text/event-stream"));
    }

    /** Whether a message is of the era that has no sessions. */
    static boolean isModern(@Nullable McpMessage message) {
        return message != null && message.era() == Era.MODERN;
    }
}
