package dev.weir.gate;

import dev.weir.mcp.Arguments;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.Reading;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request as the gate judges it.
 *
 * @param path         the path within the web application, with nothing left to decode or resolve
 * @param kind         what the request is at the level of HTTP
 * @param message      the JSON-RPC message in its body, of a batch the one that stands for all; null if it has none
 * @param batch        all messages of its body, if that is a batch; else null
 * @param arrivedNanos when it arrived, on the monotonic clock
 */
public record Call(
        String path, Kind kind, @Nullable McpMessage message, Reading.@Nullable Batch batch, long arrivedNanos) {

    /** A request that brings one message or none. */
    public Call(String path, Kind kind, @Nullable McpMessage message, long arrivedNanos) {
        this(path, kind, message, null, arrivedNanos);
    }

    /** A request that brings a batch. */
    public static Call of(String path, Reading.Batch batch, long arrivedNanos) {
        return new Call(path, Kind.MESSAGE, batch.first(), batch, arrivedNanos);
    }

    /** Its messages; empty if it brings none. */
    List<McpMessage> messages() {
        if (batch != null) {
            return batch.messages();
        }
        return message == null ? List.of() : List.of(message);
    }

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

    /** The tool that the call would run, of a batch the first one; null if it would run none. */
    @Nullable
    String tool() {
        return message == null ? null : message.tool();
    }
}
