package dev.weir.proxy;

import dev.weir.upstream.UpstreamClient;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A stream of events that is begun before there is an answer, because the answer takes long: over HTTP/1.1 a client that has
 * left is found by writing to it and by nothing else. Whatever the upstream answers then becomes the stream's events, or its
 * one event.
 *
 * <p>What tells of the answer comes from one thread at a time; a refusal may come from any.
 *
 * @see <a href="https://modelcontextprotocol.io/specification/2026-07-28/basic/transports">MCP 2026-07-28, Transports: a
 *     client takes both forms of an answer, and leaving it cancels the call</a>
 */
final class PromisedStream {

    private static final byte[] START = "event: message\ndata: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = {'\n', '\n'};

    private enum Form {
        AWAITED,
        EVENTS,
        MESSAGE,
        REFUSED
    }

    private final AtomicReference<Form> form = new AtomicReference<>(Form.AWAITED);
    private volatile @Nullable Downstream out;
    private boolean started;

    /** Says where the events will go, before anybody may rely on this stream. */
    void prepare(Downstream stream) {
        out = stream;
    }

    /** Begins the answer to the client. */
    void open(HttpServletResponse response) throws IOException {
        response.setStatus(HttpServletResponse.SC_OK);
        response.setContentType("text/event-stream");
        response.setHeader("Cache-Control", "no-cache, no-transform");
        response.setHeader("X-Accel-Buffering", "no");
        out().open();
    }

    /** Where the events go. */
    Downstream out() {
        return Objects.requireNonNull(out, "nobody has prepared this stream");
    }

    /** Whether there is no answer yet. */
    boolean isAwaited() {
        return form.get() == Form.AWAITED;
    }

    /** Whether the client has been told that there will be no answer. */
    boolean isRefused() {
        return form.get() == Form.REFUSED;
    }

    /** Takes what the upstream is about to answer; false if that can be no part of a stream of events. */
    boolean take(AnswerHead answer) {
        if (!answer.isPlainText() || !(answer.isEventStream() || answer.isJson())) {
            return false;
        }
        form.compareAndSet(Form.AWAITED, answer.isEventStream() ? Form.EVENTS : Form.MESSAGE);
        return true;
    }

    /** A piece of the answer; see {@link UpstreamClient.Answer#onContent}. */
    void pass(ByteBuffer content, Runnable more) {
        Form now = form.get();
        if (now == Form.EVENTS) {
            out().offer(content, more);
        } else if (now == Form.MESSAGE) {
            out().offer(inOneLine(content), more);
        } else {
            more.run();
        }
    }

    /** The answer is whole; false if there was none. */
    boolean complete() {
        Form now = form.get();
        if (now == Form.EVENTS) {
            out().complete();
        } else if (now == Form.MESSAGE) {
            out().complete(END);
        }
        return now != Form.AWAITED;
    }

    /** Takes no answer any more; false if one is on its way already. */
    boolean refuse() {
        return form.compareAndSet(Form.AWAITED, Form.REFUSED);
    }

    /** Sends what a refused call is told, which is JSON in one line, and ends the stream. */
    void say(byte[] message) {
        ByteBuffer event = ByteBuffer.allocate(START.length + message.length + END.length);
        out().complete(event.put(START).put(message).put(END).array());
    }

    /** JSON has line ends between its values only, where a blank does as well. */
    private ByteBuffer inOneLine(ByteBuffer content) {
        ByteBuffer line = ByteBuffer.allocate(START.length + content.remaining());
        if (!started) {
            started = true;
            line.put(START);
        }
        for (int at = content.position(); at < content.limit(); at++) {
            byte next = content.get(at);
            line.put(next == '\r' || next == '\n' ? (byte) ' ' : next);
        }
        return line.flip();
    }
}
