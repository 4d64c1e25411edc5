package dev.weir.mcp;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the filters hand down to whoever serves the request: the bytes that were judged, which are the bytes to forward.
 * It travels as the request attribute {@link #ATTRIBUTE}. Safe for use by many threads, as long as nobody writes into the
 * body.
 */
public final class JudgedRequest {

    /** The request attribute that holds the {@code JudgedRequest}. */
    public static final String ATTRIBUTE = "dev.weir.judged";

    /** The request attribute that says, as text, to whom a session that the request opens or uses belongs. */
    public static final String OWNER = "dev.weir.owner";

    /** The request attribute that says, as text, which client or user has proven that the request is its own; absent if none. */
    public static final String CLIENT = "dev.weir.client";

    /** The request attribute in which a server of the request leaves the reason of its failure, as text, for the log. */
    public static final String FAILURE = "dev.weir.failure";

    /**
     * The request attribute in which a server of the request leaves the name of a refusal, as text, if it has refused it out of
     * hand, without trying; absent otherwise.
     */
    public static final String REFUSED = "dev.weir.refused";

    private final String requestId;
    private final @Nullable McpMessage message;
    private final Reading.@Nullable Batch batch;
    private final byte[] body;
    private final boolean unread;
    private final Runnable served;
    private final @Nullable Predicate<String> visibleTools;

    /** A request whose end at the upstream nobody waits for. */
    public JudgedRequest(String requestId, @Nullable McpMessage message, byte[] body) {
        this(requestId, message, null, body, () -> {});
    }

    /**
     * @param requestId the id under which this HTTP request is logged, answered and forwarded
     * @param message   what was read from the body; null where there was no body to read, or more than one message
     * @param batch     the messages that were read from the body, where it is a batch
     * @param body      the whole body; empty where there was none
     * @param served    see {@link #served}
     */
    public JudgedRequest(
            String requestId,
            @Nullable McpMessage message,
            Reading.@Nullable Batch batch,
            byte[] body,
            Runnable served) {
        this(requestId, message, batch, body, false, served);
    }

    private JudgedRequest(
            String requestId,
            @Nullable McpMessage message,
            Reading.@Nullable Batch batch,
            byte[] body,
            boolean unread,
            Runnable served) {
        this.requestId = requestId;
        this.message = message;
        this.batch = batch;
        this.body = body;
        this.unread = unread;
        this.served = served;
        this.visibleTools = null;
    }

    private JudgedRequest(JudgedRequest judged, @Nullable Predicate<String> visibleTools) {
        this.requestId = judged.requestId;
        this.message = judged.message;
        this.batch = judged.batch;
        this.body = judged.body;
        this.unread = judged.unread;
        this.served = judged.served;
        this.visibleTools = visibleTools;
    }

    /** The same request, of somebody who may see some tools only; see {@link #visibleTools}. */
    public JudgedRequest showing(@Nullable Predicate<String> tools) {
        return new JudgedRequest(this, tools);
    }

    /** A request that was judged by who sends it and where to, and whose body, if it has one, is still to be read. */
    public static JudgedRequest unread(String requestId, Runnable served) {
        return new JudgedRequest(requestId, null, null, new byte[0], true, served);
    }

    /** The id under which this HTTP request is logged, answered and forwarded. */
    public String requestId() {
        return requestId;
    }

    /** What was read from the body, or null where there was no body to read, or more than one message. */
    public @Nullable McpMessage message() {
        return message;
    }

    /** The messages that were read from the body, or null where it is no batch. */
    public Reading.@Nullable Batch batch() {
        return batch;
    }

    /**
     * By their exact names, the tools that the sender may see in an answer to {@code tools/list}; null where none is hidden, or where
     * there can be no such answer. Safe for use by many threads.
     */
    public @Nullable Predicate<String> visibleTools() {
        return visibleTools;
    }

    /** Whether nobody has looked into the body, which then is still on its way. */
    public boolean isUnread() {
        return unread;
    }

    /** The whole body, not copied and not to be changed; empty where there was none, or where it is unread. */
    public byte[] body() {
        return body;
    }

    /**
     * To be called when the upstream is done with the request and before the client can know it, so that the client's next
     * request never finds this one in flight. May be called again; may be left out where the exchange ends otherwise.
     */
    public void served() {
        served.run();
    }
}
