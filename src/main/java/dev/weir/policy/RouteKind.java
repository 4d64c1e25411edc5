package dev.weir.policy;

/** What stands behind a route. */
public enum RouteKind {
    /** An MCP server: every message is read and judged by what it asks for. */
    MCP("mcp"),

    /** Any HTTP server: a request is judged by who sends it and where to; its body is passed on unread. */
    HTTP("http");

    private final String word;

    RouteKind(String word) {
        this.word = word;
    }

    /**
     * The kind of this name.
     *
     * @throws IllegalArgumentException if there is none; the message names the value and the rule
     */
    static RouteKind of(String word) {
        for (RouteKind kind : values()) {
            if (kind.word.equals(word)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("kind must be mcp or http, not [" + word + "]");
    }
}
