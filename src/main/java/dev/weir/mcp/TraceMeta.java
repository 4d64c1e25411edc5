package dev.weir.mcp;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.io.JsonStringEncoder;

/**
 * Which trace a message says that it belongs to, in its {@code params._meta}, and where in the body it says so: as it stands there,
 * not yet found good or bad. With it a body can be made that is the same but for that. Immutable.
 *
 * @see <a href="https://modelcontextprotocol.io/seps/414-request-meta">SEP-414: trace context in {@code _meta}</a>
 */
public final class TraceMeta {

    /** The member that names the caller's span, and the header field that does. */
    public static final String TRACEPARENT = "traceparent";

    /** The member with what the systems of a trace tell each other, and its header field. */
    public static final String TRACESTATE = "tracestate";

    /** A message that says nothing of it and into which nothing can be put; also one that says half of it, or something else. */
    public static final TraceMeta NONE = new TraceMeta(null, null, -1, -1, false);

    private final @Nullable String parent;
    private final @Nullable String state;
    private final int from;
    private final int to;
    private final boolean empty;

    private TraceMeta(@Nullable String parent, @Nullable String state, int from, int to, boolean empty) {
        this.parent = parent;
        this.state = state;
        this.from = from;
        this.to = to;
        this.empty = empty;
    }

    /**
     * A message that names its parent.
     *
     * @param from the first byte of the value, its quote
     * @param to   the byte behind the value
     */
    static TraceMeta at(String parent, @Nullable String state, int from, int to) {
        return new TraceMeta(parent, state, from, to, false);
    }

    /**
     * A message that has a {@code _meta} with nothing of a trace in it.
     *
     * @param open  the byte behind its brace
     * @param empty whether it has no members at all
     */
    static TraceMeta room(int open, boolean empty) {
        return new TraceMeta(null, null, open, open, empty);
    }

    /** The value of {@link #TRACEPARENT}; null if there is none. */
    public @Nullable String parent() {
        return parent;
    }

    /** The value of {@link #TRACESTATE} beside a parent; null if there is none. */
    public @Nullable String state() {
        return state;
    }

    /** Whether a parent can be put in, because there is a {@code _meta} that names none. */
    public boolean hasRoom() {
        return parent == null && from >= 0;
    }

    /**
     * The body with another parent in the place of the one that is named in it.
     *
     * @param body what the message was read from
     * @throws IllegalStateException if none is named
     */
    public byte[] replaced(byte[] body, String newParent) {
        if (parent == null) {
            throw new IllegalStateException("there is no parent to replace");
        }
        return spliced(body, quoted(newParent));
    }

    /**
     * The body with a parent put in.
     *
     * @param body     what the message was read from
     * @param newState put in beside it; null for nothing
     * @throws IllegalStateException if there is no room for one
     */
    public byte[] with(byte[] body, String newParent, @Nullable String newState) {
        if (!hasRoom()) {
            throw new IllegalStateException("there is no room for a parent");
        }
        String members = quoted(TRACEPARENT) + ':' + quoted(newParent);
        if (newState != null) {
            members += ',' + quoted(TRACESTATE) + ':' + quoted(newState);
        }
        return spliced(body, empty ? members : members + ',');
    }

    private byte[] spliced(byte[] body, String text) {
        byte[] middle = text.getBytes(StandardCharsets.UTF_8);
        byte[] spliced = new byte[from + middle.length + body.length - to];
        System.arraycopy(body, 0, spliced, 0, from);
        System.arraycopy(middle, 0, spliced, from, middle.length);
        System.arraycopy(body, to, spliced, from + middle.length, body.length - to);
        return spliced;
    }

    private static String quoted(String text) {
        return '"' + new String(JsonStringEncoder.getInstance().quoteAsCharArray(text)) + '"';
    }

    /** Not what it says, which may be anything. */
    @Override
    public String toString() {
        return parent != null ? "a parent" : hasRoom() ? "room for a parent" : "no trace";
    }
}
