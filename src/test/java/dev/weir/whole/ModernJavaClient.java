package dev.weir.whole;

import dev.weir.whole.RefusalTask.Outcome;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse.JSONRPCError;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema.CallToolResult;
import io.modelcontextprotocol.modern.McpSchema.Implementation;
import io.modelcontextprotocol.modern.McpSchema.TextContent;
import io.modelcontextprotocol.modern.McpSchema.Tool;
import io.modelcontextprotocol.modern.client.McpClient;
import io.modelcontextprotocol.modern.client.McpSyncClient;
import io.modelcontextprotocol.modern.client.transport.HttpClientMcpTransport;
import io.modelcontextprotocol.modern.client.transport.McpHttpRequestCustomizer;
import io.modelcontextprotocol.modern.client.transport.McpHttpStatusException;
import java.time.Duration;
import java.util.List;

/** The official Java client for the modern era. */
final class ModernJavaClient implements RefusedClient {

    private final McpSyncClient client;

    private ModernJavaClient(McpSyncClient client) {
        this.client = client;
    }

    static RefusedClient connect(RefusalTask task) {
        HttpClientMcpTransport transport = HttpClientMcpTransport.builder(task.url())
                .requestCustomizer(McpHttpRequestCustomizer.fromSync(
                        (request, headers, context) -> headers.set("Authorization", "Bearer " + task.key())))
                .build();
        McpSyncClient client = McpClient.sync(transport)
                .clientInfo(Implementation.builder("weir-matrix", "1").build())
                .roundTimeout(Duration.ofSeconds(20))
                .build();
        client.discover();
        return new ModernJavaClient(client);
    }

    @Override
    public Outcome call(String tool) {
        try {
            CallToolResult result =
                    client.tool(tool).arguments(RefusalTask.ARGUMENTS).call();
            String text = ((TextContent) result.content().get(0)).text();
            return Outcome.result(Boolean.TRUE.equals(result.isError()), text, result.meta());
        } catch (McpException refused) {
            JSONRPCError error = refused.error();
            return Outcome.thrown(refused, error.code(), error.data());
        } catch (McpHttpStatusException refused) {
            return Outcome.thrown(refused, refused.statusCode(), null);
        } catch (RuntimeException refused) {
            return Outcome.thrown(refused, null, null);
        }
    }

    @Override
    public List<String> tools() {
        return client.listTools().skipCache().list().tools().stream()
                .map(Tool::name)
                .toList();
    }

    /** Nothing to do: in this era there is no session, and no connection that is open between calls. */
    @Override
    public void close() {}
}
