package dev.weir.proxy;

import dev.weir.mcp.McpReply;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An error answer of an upstream whose body is not for the client: the status is kept, and what a client should do about it; the
 * beginning of the text is for the log.
 *
 * <p>For one thread at a time.
 */
final class ErrorAnswer implements HeldAnswer {

    /** How much of the text is looked at. */
    private static final int LONGEST_TEXT = 160;

    /** An error that goes on for longer is not waited for. */
    private static final int LONGEST_BODY = 64 * 1024;

    private final AnswerHead head;
    private final byte[] text = new byte[LONGEST_TEXT];
    private int textLength;
    private int received;

    ErrorAnswer(AnswerHead head) {
        this.head = head;
    }

    @Override
    public boolean add(ByteBuffer content) {
        received += content.remaining();
        int more = Math.min(content.remaining(), text.length - textLength);
        content.duplicate().get(text, textLength, more);
        textLength += more;
        return received <= LONGEST_BODY;
    }

    @Override
    public void give(Conclusion conclusion) {
        conclusion.replace(this);
    }

    /** What the upstream said, for the log. */
    String reason() {
        String said = head.isPlainText()
                ? new String(text, 0, textLength, StandardCharsets.UTF_8)
                        .replaceAll("\\s+", " ")
                        .strip()
                : "(encoded)";
        return "the upstream answered " + head.status() + (said.isEmpty() ? "" : ": " + said);
    }

    /** Writes what the client is told; a HEAD gets the same without the body, which the container leaves away. */
    void write(HttpServletResponse response, String requestId) throws IOException {
        response.setStatus(head.status());
        response.setContentType("application/json");
        response.setHeader("Cache-Control", "no-store");
        head.copy("Retry-After", response);
        head.copy("Allow", response);
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("error", "backend_error");
        body.put("status", head.status());
        body.put("message", "The server behind this address answered " + head.status() + ".");
        body.put("requestId", requestId);
        byte[] bytes = McpReply.object(body);
        response.getOutputStream().write(bytes);
    }
}
