package dev.weir.gate;

import dev.weir.mcp.Era;
import dev.weir.mcp.McpMessage;
import dev.weir.policy.RefusalForm;

/** Weighs the setting, the era and the kind of message into the form of one refusal. */
final class Forms {

    private Forms() {}

    static Form of(RefusalForm setting, Call call) {
        if (call.batch() != null && !call.batch().ids().isEmpty()) {
            // Each request of a batch gets an answer of its own, and those may be calls of other things than tools.
            return setting == RefusalForm.HTTP_429 ? Form.HTTP_STATUS : Form.JSONRPC_ERROR;
        }
        McpMessage message = call.message();
        if (message == null || message.kind() == McpMessage.Kind.RESPONSE) {
            return Form.HTTP_STATUS;
        }
        if (message.kind() == McpMessage.Kind.NOTIFICATION) {
            return Form.DROPPED;
        }
        // Only a call of a tool can be answered by a tool's result.
        boolean toolCall = message.tool() != null;
        return switch (setting) {
            case HTTP_429 -> Form.HTTP_STATUS;
            case JSONRPC_ERROR -> Form.JSONRPC_ERROR;
            case TOOL_RESULT -> toolCall ? Form.TOOL_RESULT : Form.JSONRPC_ERROR;
            case AUTO -> toolCall && message.era() == Era.MODERN ? Form.TOOL_RESULT : Form.JSONRPC_ERROR;
        };
    }
}
