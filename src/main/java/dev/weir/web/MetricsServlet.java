package dev.weir.web;

import dev.weir.mcp.McpReply;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Answers whoever collects the numbers: a caller on this machine, or one that presents the operator's token. Never limited and
 * never logged.
 *
 * @see <a href="https://prometheus.io/docs/instrumenting/exposition_formats/">The Prometheus text format</a>
 */
public final class MetricsServlet extends HttpServlet {

    private final Supplier<String> text;
    private final Insiders insiders;

    /**
     * @param text     gives the numbers, from memory
     * @param insiders who may see them
     */
    public MetricsServlet(Supplier<String> text, Insiders insiders) {
        this.text = text;
        this.insiders = insiders;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-store");
        if (insiders.include(request)) {
            write(
                    response,
                    "text/plain; version=0.0.4; charset=utf-8",
                    text.get().getBytes(StandardCharsets.UTF_8));
        } else {
            Map<String, Object> why = new LinkedHashMap<>();
            why.put("error", "unauthenticated");
            why.put(
                    "message",
                    "The admin token, or the key of a client that may look, is needed as a bearer token, except by callers on this machine.");
            response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
            response.setHeader("WWW-Authenticate", "Bearer realm=\"weir\"");
            write(response, "application/json", McpReply.object(why));
        }
    }

    private static void write(HttpServletResponse response, String type, byte[] body) throws IOException {
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
