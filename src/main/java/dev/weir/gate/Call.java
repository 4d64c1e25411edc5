package dev.weir.gate;

import dev.weir.mcp.Arguments;
import dev.weir.mcp.McpMessage;
import org.jspecify.annotations.Nullable;

/**
 * One request as the gate judges it.
 *
 * @param path         the path within the web application, with nothing left to decode or resolve
 * @param kind         what the request is at the level of HTTP
 * @param message      the JSON-RPC message in its body; null if it has none
 * @param arrivedNanos when it arrived, on the monotonic clock
 */
public record Call(String path, Kind kind, @Nullable McpMessage message, long arrivedNanos) {

    /** What a request is at the level of HTTP. */
    public enum Kind {
        /** A POST that brings a message. */
        MESSAGE,
        /** A DELETE that ends a session. */
        END,
        /** Whatever else, among it a GET that opens a stream. */
        OTHER
    }

    /** The digest of the arguments; null if the call has none. */
    @Nullable
    String arguments() {
        Arguments arguments = message == null ? null : message.arguments();
        return arguments == null ? null : arguments.digest();
    }

    /** The tool that the call would run; null if it would run none. */
    @Nullable
    String tool() {
        return message == null ? null : message.tool();
    }
}
