package dev.weir.mcp;

import org.jspecify.annotations.Nullable;

/**
 * What one JSON-RPC message asks for, as far as a decision needs to know.
 *
 * @param kind   whether it is a request, a notification or a response
 * @param id     the id of a request or a response; absent for a notification
 * @param method the method of a request or a notification; absent for a response
 * @param name   what the method is applied to: {@code params.name} of {@code tools/call} and {@code prompts/get},
 *               {@code params.uri} of {@code resources/read}, exactly as the upstream will read it; else absent
 * @param era    the family of revisions that it belongs to
 * @param arguments {@code params.arguments}, if that is an object; else absent
 */
public record McpMessage(
        Kind kind,
        @Nullable RequestId id,
        @Nullable String method,
        @Nullable String name,
        Era era,
        @Nullable Arguments arguments) {

    /** The method that runs a tool. */
    public static final String TOOLS_CALL = "tools/call";

    /** The three kinds of JSON-RPC message. */
    public enum Kind {
        REQUEST,
        NOTIFICATION,
        RESPONSE
    }

    /**
     * The id of a request.
     *
     * @throws IllegalStateException if there is none
     */
    public RequestId requireId() {
        if (id == null) {
            throw new IllegalStateException("a " + kind + " has no id");
        }
        return id;
    }

    /** The tool that this message would run, or null if it would run none. */
    public @Nullable String tool() {
        return TOOLS_CALL.equals(method) ? name : null;
    }
}
