package dev.weir.web;

import dev.weir.mcp.McpReply;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers whoever collects the numbers: a caller on this machine, or one that presents the operator's token. Never limited and
 * never logged.
 *
 * @see <a href="https://prometheus.io/docs/instrumenting/exposition_formats/">The Prometheus text format</a>
 * @see <a href="https://prometheus.io/docs/specs/om/open_metrics_spec/">OpenMetrics</a>
 */
public final class MetricsServlet extends HttpServlet {

    /** Where the numbers come from; must be safe for use by many threads. */
    public interface Numbers {

        /**
         * All numbers as they are now, from memory.
         *
         * @param accept what the caller takes, as {@code Accept} says it; null if it does not say
         */
        Page now(@Nullable String accept);
    }

    /**
     * All numbers at one moment.
     *
     * @param type the media type
     * @param body the text
     */
    public record Page(String type, String body) {}

    private final transient Numbers numbers;
    private final transient Insiders insiders;

    /** @param insiders who may see them */
    public MetricsServlet(Numbers numbers, Insiders insiders) {
        this.numbers = numbers;
        this.insiders = insiders;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-store");
        if (insiders.include(request)) {
            Page page = numbers.now(request.getHeader("Accept"));
            response.setHeader("Vary", "Accept");
            write(response, page.type(), page.body().getBytes(StandardCharsets.UTF_8));
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
