package dev.weir.mcp;

import org.jspecify.annotations.Nullable;

/**
 * What one JSON-RPC message asks for, as far as a decision needs to know.
 *
 * @param kind   whether it is a request, a notification or a response
 * @param id     the id of a request or a response; absent for a notification
 * @param method the method of a request or a notification; absent for a response
 * @param name   what the method is applied to, exactly as the upstream will read it: the member of {@code params} that
 *               {@link #target} names; absent for methods that are applied to nothing
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

    /** The method that asks which tools there are. */
    public static final String TOOLS_LIST = "tools/list";

    /** The three kinds of JSON-RPC message. */
    public enum Kind {
        REQUEST,
        NOTIFICATION,
        RESPONSE
    }

    /** The member of {@code params} that says what a method is applied to; null for a method that is applied to nothing. */
    static @Nullable String target(String method) {
        return switch (method) {
            case TOOLS_CALL, "prompts/get" -> "name";
            case "resources/read" -> "uri";
            case "tasks/get", "tasks/update", "tasks/cancel" -> "taskId";
            default -> null;
        };
    }

    /** This message in another era. */
    McpMessage in(Era other) {
        return new McpMessage(kind, id, method, name, other, arguments);
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
