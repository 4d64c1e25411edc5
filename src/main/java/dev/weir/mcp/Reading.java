package dev.weir.mcp;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What came of reading a body. */
public sealed interface Reading {

    /**
     * The body is one message that every parser reads alike.
     *
     * @param revision the protocol revision that it names in its {@code _meta}; null for none
     * @param trace    which trace it says that it belongs to, where the reader was to find that out
     */
    record Read(McpMessage message, @Nullable String revision, TraceMeta trace) implements Reading {

        /** A message of which nobody wants to know its trace. */
        public Read(McpMessage message, @Nullable String revision) {
            this(message, revision, TraceMeta.NONE);
        }
    }

    /**
     * The body is a batch of messages, none of which is of a revision that has no batches. Whether it is accepted is for the
     * route to say.
     *
     * @param messages at least one and at most {@link #MAX_MESSAGES}, in their order; no two requests have the same id
     */
    record Batch(List<McpMessage> messages) implements Reading {

        /** The most messages that a batch may hold. */
        public static final int MAX_MESSAGES = 100;

        public Batch {
            messages = List.copyOf(messages);
        }

        /** The ids of its requests, in their order. */
        public List<RequestId> ids() {
            return messages.stream()
                    .filter(message -> message.kind() == McpMessage.Kind.REQUEST)
                    .map(McpMessage::requireId)
                    .toList();
        }

        /** The message that stands for all where one has to: the first that runs a tool; else the first request; else the first. */
        public McpMessage first() {
            return messages.stream()
                    .filter(message -> message.tool() != null)
                    .findFirst()
                    .or(() -> messages.stream()
                            .filter(message -> message.kind() == McpMessage.Kind.REQUEST)
                            .findFirst())
                    .orElse(messages.get(0));
        }
    }

    /**
     * The body is none, or not surely the same one to every parser.
     *
     * @param status the HTTP status that says so: 400, 413 or 415
     * @param code   the JSON-RPC error code
     * @param reason what is wrong, in words; holds nothing of the body but short names
     * @param id     the id of the message, where that much could be read
     */
    record Unreadable(
            int status, int code, String reason, @Nullable RequestId id) implements Reading {

        /** JSON-RPC 2.0: invalid JSON. */
        public static final int PARSE_ERROR = -32700;

        /** JSON-RPC 2.0: JSON, but not a valid request. */
        public static final int INVALID_REQUEST = -32600;

        static Unreadable parseError(String reason) {
            return new Unreadable(400, PARSE_ERROR, reason, null);
        }

        static Unreadable invalid(String reason, @Nullable RequestId id) {
            return new Unreadable(400, INVALID_REQUEST, reason, id);
        }
    }
}
