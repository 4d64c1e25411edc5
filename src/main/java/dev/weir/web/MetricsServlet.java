package dev.weir.web;

import dev.weir.auth.ClientAddress;
import dev.weir.mcp.McpReply;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers whoever collects the numbers: a caller on this machine, or one that presents the operator's token. Never limited and
 * never logged.
 *
 * @see <a href="https://prometheus.io/docs/instrumenting/exposition_formats/">The Prometheus text format</a>
 */
public final class MetricsServlet extends HttpServlet {

    private static final String BEARER = "Bearer ";

    private final Supplier<String> text;
    private final Predicate<String> token;
    private final OriginRule origins;

    /**
     * @param text    gives the numbers, from memory
     * @param token   whether a token is the operator's
     * @param origins the names by which callers on this machine may call
     */
    public MetricsServlet(Supplier<String> text, Predicate<String> token, OriginRule origins) {
        this.text = text;
        this.token = token;
        this.origins = origins;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-store");
        if (isOperator(request.getHeader("Authorization")) || isFromHere(request)) {
            write(
                    response,
                    "text/plain; version=0.0.4; charset=utf-8",
                    text.get().getBytes(StandardCharsets.UTF_8));
        } else {
            Map<String, Object> why = new LinkedHashMap<>();
            why.put("error", "unauthenticated");
            why.put("message", "The admin token is needed as a bearer token, except by callers on this machine.");
            response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
            response.setHeader("WWW-Authenticate", "Bearer realm=\"weir\"");
            write(response, "application/json", McpReply.object(why));
        }
    }

    private boolean isOperator(@Nullable String authorization) {
        return authorization != null
                && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                && token.test(authorization.substring(BEARER.length()).strip());
    }

    /** A proxy on this machine calls for others, and a page in a browser here for whoever wrote it. */
    private boolean isFromHere(HttpServletRequest request) {
        return ClientAddress.isLoopback(request.getRemoteAddr())
                && request.getHeader("X-Forwarded-For") == null
                && request.getHeader("Forwarded") == null
                && origins.allowsHost(OriginRule.authority(request), request.getRemoteAddr());
    }

    private static void write(HttpServletResponse response, String type, byte[] body) throws IOException {
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
