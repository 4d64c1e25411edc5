package dev.weir.whole;

import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletSseServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;

/**
 * A server of the older transport HTTP+SSE, made of the official Java SDK, on a free port of the loopback address: a stream at
 * {@code /sse}, messages at {@code /mcp/message}.
 */
final class LegacyServer implements AutoCloseable {

    private final McpSyncServer mcp;
    private final Server jetty;

    private LegacyServer(McpSyncServer mcp, Server jetty) {
        this.mcp = mcp;
        this.jetty = jetty;
    }

    // The SDK warns of the older transport, which is what this is about.
    @SuppressWarnings("deprecation")
    static LegacyServer start() throws Exception {
        HttpServletSseServerTransportProvider transport = HttpServletSseServerTransportProvider.builder()
                .sseEndpoint("/sse")
                .messageEndpoint("/mcp/message")
                .build();
        McpSyncServer mcp = McpServer.sync(transport)
                .serverInfo("legacy", "1")
                .tools(
                        tool("echo", (exchange, call) -> answer(call.arguments().get("text"))),
                        tool("inspect_table_schema", (exchange, call) -> answer("columns")),
                        tool("export_report", LegacyServer::export))
                .build();
        ServletHolder servlet = new ServletHolder(transport);
        servlet.setAsyncSupported(true);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(servlet, "/*");
        Server jetty = new Server();
        ServerConnector connector = new ServerConnector(jetty, 1, 1);
        connector.setHost("127.0.0.1");
        jetty.addConnector(connector);
        jetty.setHandler(context);
        jetty.setStopTimeout(0);
        jetty.start();
        return new LegacyServer(mcp, jetty);
    }

    URI url() {
        return jetty.getURI().resolve("/sse");
    }

    @Override
    public void close() {
        mcp.close();
        LifeCycle.stop(jetty);
    }

    private static SyncToolSpecification tool(
            String name, BiFunction<McpSyncServerExchange, CallToolRequest, CallToolResult> handler) {
        return SyncToolSpecification.builder()
                .tool(Tool.builder(name, Map.of("type", "object")).build())
                .callHandler(handler)
                .build();
    }

    private static CallToolResult export(McpSyncServerExchange exchange, CallToolRequest call) {
        for (int step = 1; step <= 3 && call.progressToken() != null; step++) {
            exchange.progressNotification(ProgressNotification.builder(call.progressToken(), step)
                    .total(3.0)
                    .build());
            pause();
        }
        return answer("report");
    }

    /** The TypeScript client forgets a call's progress that comes in one piece with its result. */
    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static CallToolResult answer(Object text) {
        return CallToolResult.builder()
                .addTextContent(String.valueOf(text))
                .isError(false)
                .build();
    }
}
