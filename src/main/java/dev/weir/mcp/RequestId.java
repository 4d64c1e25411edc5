package dev.weir.mcp;

/**
 * The id of a JSON-RPC request, kept as the JSON token that it came in, so that an answer echoes its type and every digit.
 *
 * @param json the token: a JSON string with its quotes, or an integer of any length
 * @see <a href="https://www.jsonrpc.org/specification#response_object">JSON-RPC 2.0, 5: the id must be the same value</a>
 */
public record RequestId(String json) {

    @Override
    public String toString() {
        return json;
    }
}
