package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse.JSONRPCError;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.util.Map;

/** Calls of tools by a client of the official Java SDK, over whatever transport it has. */
final class SdkCalls {

    private SdkCalls() {}

    /** The text that a call comes to; fails if it comes to an error. */
    static String call(McpSyncClient client, String tool, Map<String, Object> arguments) {
        CallToolResult result = client.callTool(CallToolRequest.builder(tool)
                .arguments(arguments)
                .progressToken("tour-" + tool)
                .build());
        assertThat(result.isError()).as("%s", result).isNotEqualTo(true);
        return ((TextContent) result.content().get(0)).text();
    }

    /** What a call of the heavy tool comes to. */
    static RunawayLoop.Call attempt(McpSyncClient client) {
        try {
            call(client, "inspect_table_schema", Map.of("table", "CUSTOMER"));
            return new RunawayLoop.Call(0, "");
        } catch (McpError refused) {
            JSONRPCError error = refused.getJsonRpcError();
            return new RunawayLoop.Call(error.code(), error.message());
        }
    }
}
