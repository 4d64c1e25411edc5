package dev.weir.mcp;

import org.jspecify.annotations.Nullable;

/**
 * Puts a message onto the caller's own open stream of events, which is where the answers of the older transport HTTP+SSE are
 * told: whoever waits there never looks into the answer to its POST. Must be safe for use by many threads.
 *
 * @see <a href="https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse">MCP 2024-11-05:
 *     HTTP with SSE</a>
 */
public interface ClientStreams {

    /** What became of a message. */
    enum Delivery {
        /** The address belongs to no such session: the answer to the POST is the place for the message. */
        NOT_MEANT,
        /** It is the next thing to be written to the stream. */
        SENT,
        /** The session has no stream here that belongs to the caller and takes a message more. */
        NO_STREAM
    }

    /**
     * Answers a message of a session on the session's stream.
     *
     * @param path    the path that the message was sent to, within the web application
     * @param query   the query as it was sent, or null
     * @param owner   who has sent it, as {@link JudgedRequest#OWNER} has it
     * @param message one JSON-RPC message without line ends
     */
    Delivery deliver(String path, @Nullable String query, String owner, byte[] message);
}
