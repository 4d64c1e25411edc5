package dev.weir.gate;

/** How one particular refusal is told, once the setting, the era and the kind of message have been weighed. */
public enum Form {
    /** A JSON-RPC error under HTTP 200. */
    JSONRPC_ERROR,
    /** A tool result that reports an error, under HTTP 200. */
    TOOL_RESULT,
    /** HTTP 429 or 403; the body is a JSON-RPC error where there is an id to answer, else the plain error object. */
    HTTP_STATUS,
    /** HTTP 202 and nothing else: a notification is dropped without an answer. */
    DROPPED
}
