package dev.weir.proxy;

import dev.weir.upstream.Header;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The status and headers of an upstream's answer, kept until it is certain that the client will see them. */
final class AnswerHead {

    private final int status;
    private final List<Header> headers;
    private final List<Header> told;

    AnswerHead(int status, List<Header> headers) {
        this(status, headers, List.of());
    }

    /** @param told what the client is told in place of headers that never pass */
    AnswerHead(int status, List<Header> headers, List<Header> told) {
        this.status = status;
        this.headers = headers;
        this.told = told;
    }

    int status() {
        return status;
    }

    /** Whether the client is told something in place of a header that never passes. */
    boolean tells(String name) {
        return told.stream().anyMatch(header -> header.name().equalsIgnoreCase(name));
    }

    /** Whether the upstream has set a header, told or not. */
    boolean has(String name) {
        return first(name) != null;
    }

    /** Sets one header of the answer, if it has it. */
    void copy(String name, HttpServletResponse response) {
        String value = first(name);
        if (value != null) {
            response.setHeader(name, value);
        }
    }

    /**
     * Why this answer must not reach a client, or null if it may. 401 and 403 speak of the gateway's own credential; a
     * client that saw them would start a login. A redirect would lead the client around the gateway. And a page of a server
     * that has failed is nothing that a program could read; the statuses 400, 404 and 405 tell clients which transport
     * there is, whatever their body.
     */
    @Nullable
    String refusal() {
        boolean unusable = status < 200 || (status >= 300 && status < 400) || status == 401 || status == 403;
        if (unusable) {
            return "the upstream answered " + status;
        }
        return status >= 500 && !isEventStream() && !isJson()
                ? "the upstream answered " + status + " and no JSON"
                : null;
    }

    /** The same for the answer to a request that may open a stream of events, which has to be looked into. */
    @Nullable
    String refusalAsStream() {
        String refusal = refusal();
        return refusal == null && isEventStream() && !isPlainText()
                ? "the upstream encoded a stream of events, which it was asked not to do"
                : refusal;
    }

    boolean isEventStream() {
        return isOfType("text/event-stream");
    }

    boolean isJson() {
        return isOfType("application/json");
    }

    private boolean isOfType(String name) {
        String type = first("Content-Type");
        return type != null && type.regionMatches(true, 0, name, 0, name.length());
    }

    /** Whether the body is as the upstream's program wrote it, so that a comment may be put between its events. */
    boolean isPlainText() {
        return first("Content-Encoding") == null;
    }

    /** The length that was announced, or -1. */
    long contentLength() {
        String length = first("Content-Length");
        if (length == null || first("Transfer-Encoding") != null) {
            return -1;
        }
        try {
            return Long.parseLong(length);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Sets status, headers and, if it was announced, the length of an answer that has no body. */
    void applyWithoutBodyTo(HttpServletResponse response) {
        applyTo(response);
        if (contentLength() >= 0 && status != 204 && status != 304) {
            response.setContentLengthLong(contentLength());
        }
    }

    /** Sets status and headers, beside those that are there already. */
    void applyTo(HttpServletResponse response) {
        response.setStatus(status);
        for (Header header : HopHeaders.down(headers)) {
            // A container may have put its own date there at the start, and there can be one only.
            if (header.name().equalsIgnoreCase("Date")) {
                response.setHeader(header.name(), header.value());
            } else {
                response.addHeader(header.name(), header.value());
            }
        }
        for (Header header : told) {
            response.addHeader(header.name(), header.value());
        }
    }

    /** Tells whoever stands between here and the client to hold no events back, where the upstream has not said what to do. */
    void keepFlowing(HttpServletResponse response) {
        if (first("Cache-Control") == null) {
            response.setHeader("Cache-Control", "no-cache, no-transform");
        }
        if (first("X-Accel-Buffering") == null) {
            response.setHeader("X-Accel-Buffering", "no");
        }
    }

    private @Nullable String first(String name) {
        for (Header header : headers) {
            if (header.name().equalsIgnoreCase(name)) {
                return header.value();
            }
        }
        return null;
    }
}
