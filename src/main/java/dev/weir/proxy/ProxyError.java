package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.McpReply;
import dev.weir.mcp.RequestId;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the proxy answers itself, in place of an upstream: {@code application/json} always, and a JSON-RPC error for a
 * JSON-RPC request. What went wrong in detail is for the log; here it would only tell strangers about the inside.
 */
enum ProxyError {
    BAD_ADDRESS(400, "bad_request", "The address of this request cannot be read in one way only."),
    ROUTE_NOT_FOUND(404, "route_not_found", "There is no tool server at this address."),
    SESSION_NOT_FOUND(404, "session_not_found", "This session is not known here. Start a new one with initialize."),
    METHOD_NOT_ALLOWED(405, "method_not_allowed", "This address takes GET, POST and DELETE."),
    METHOD_NOT_PASSED(405, "method_not_allowed", "TRACE and CONNECT are for the way, and this address takes neither."),
    BODY_BROKEN(400, "body_broken", "The body ended early, or is not framed as HTTP asks for."),
    BODY_TOO_SLOW(408, "body_too_slow", "The body did not arrive in time."),
    BODY_TOO_LARGE(413, "body_too_large", "The body is larger than is accepted here."),
    UNAVAILABLE(502, "backend_unavailable", "The tool server behind this address gave no usable answer."),
    BUSY(503, "backend_unavailable", "Too many calls wait for the tool server behind this address. Try again soon."),
    CIRCUIT_OPEN(
            503, "circuit_open", "The tool server behind this address keeps failing and is left alone for a while."),
    TIMEOUT(504, "backend_timeout", "The tool server behind this address did not answer in time.");

    private final int status;
    private final String error;
    private final String text;

    ProxyError(int status, String error, String text) {
        this.status = status;
        this.error = error;
        this.text = text;
    }

    /** Whether the upstream is not to blame: the client is, or Weir itself. */
    boolean isNotTheUpstreams() {
        return switch (this) {
            case UNAVAILABLE, TIMEOUT -> false;
            default -> true;
        };
    }

    /**
     * Writes the answer; the response must not be committed. The length is left to the container, because with it this
     * write would be the last one and might wait for a client that does not read.
     *
     * @param judged what is known of the request, or null if nothing is
     */
    void write(HttpServletResponse response, @Nullable JudgedRequest judged) throws IOException {
        write(response, judged, text, Map.of());
    }

    /**
     * The same with words and details of this one case.
     *
     * @param words what a person or a model is told
     * @param more  what a program is told as well
     */
    void write(HttpServletResponse response, @Nullable JudgedRequest judged, String words, Map<String, ?> more)
            throws IOException {
        head(response);
        response.getOutputStream().write(body(judged, words, more));
    }

    /** Writes the answer to a request that takes no body in return. */
    void head(HttpServletResponse response) {
        response.setStatus(status);
        response.setContentType("application/json");
        if (this == METHOD_NOT_ALLOWED) {
            response.setHeader("Allow", "GET, POST, DELETE");
        } else if (this == METHOD_NOT_PASSED) {
            response.setHeader("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
        } else if (this == BUSY) {
            response.setHeader("Retry-After", "1");
        }
    }

    /** What the answer says: JSON in one line. */
    byte[] body(@Nullable JudgedRequest judged) {
        return body(judged, text, Map.of());
    }

    private byte[] body(@Nullable JudgedRequest judged, String words, Map<String, ?> more) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("error", error);
        data.putAll(more);
        if (judged != null) {
            data.put("requestId", judged.requestId());
        }
        List<RequestId> ids = judged == null || judged.batch() == null
                ? List.of()
                : judged.batch().ids();
        if (!ids.isEmpty()) {
            return McpReply.errors(ids, status, words, data);
        }
        RequestId id = requestId(judged);
        return id == null ? McpReply.object(data) : McpReply.error(id, status, words, data);
    }

    private static @Nullable RequestId requestId(@Nullable JudgedRequest judged) {
        McpMessage message = judged == null ? null : judged.message();
        // A response carries an id too, but nobody waits for an answer to it.
        return message != null && message.kind() == McpMessage.Kind.REQUEST ? message.id() : null;
    }
}
