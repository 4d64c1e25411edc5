package dev.weir.policy;

/** How a refused agent is told, where it has asked by a JSON-RPC request with an id. */
public enum RefusalForm {
    /** What the caller's era of MCP understands best. */
    AUTO("auto"),
    /** A JSON-RPC error under HTTP 200. */
    JSONRPC_ERROR("jsonrpc_error"),
    /** A tool result that reports an error, under HTTP 200. */
    TOOL_RESULT("tool_result"),
    /** HTTP 429, or 403 for a ban, with a JSON-RPC error as its body. */
    HTTP_429("http_429");

    private final String word;

    RefusalForm(String word) {
        this.word = word;
    }

    /** The form as rows name it. */
    String word() {
        return word;
    }

    /**
     * The form that a row names.
     *
     * @throws IllegalArgumentException naming the value and the rule
     */
    static RefusalForm of(String word) {
        for (RefusalForm form : values()) {
            if (form.word.equals(word)) {
                return form;
            }
        }
        throw new IllegalArgumentException(
                "refusal_form must be auto, jsonrpc_error, tool_result or http_429, not [" + word + "]");
    }
}
