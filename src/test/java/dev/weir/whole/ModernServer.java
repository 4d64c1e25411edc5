package dev.weir.whole;

import io.modelcontextprotocol.modern.McpSchema.CallToolResult;
import io.modelcontextprotocol.modern.McpSchema.Implementation;
import io.modelcontextprotocol.modern.McpSchema.TextContent;
import io.modelcontextprotocol.modern.McpSchema.Tool;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import io.modelcontextprotocol.modern.server.McpServer;
import io.modelcontextprotocol.modern.server.McpSyncResponse;
import io.modelcontextprotocol.modern.server.feature.McpSyncTool;
import io.modelcontextprotocol.modern.server.feature.McpSyncToolRepository;
import io.modelcontextprotocol.modern.server.feature.ToolsFeature;
import io.modelcontextprotocol.modern.server.feature.ToolsPage;
import io.modelcontextprotocol.modern.server.transport.HttpServletMcpTransport;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;

/** An MCP server of the modern era, on a free port of the loopback address, with tools that say their name. */
final class ModernServer implements AutoCloseable {

    private static final String PATH = "/mcp";

    private final Server jetty;

    private ModernServer(Server jetty) {
        this.jetty = jetty;
    }

    static ModernServer start(List<String> tools) throws Exception {
        McpServer mcp = McpServer.builder()
                .serverInfo(Implementation.builder("weir-modern", "1").build())
                .feature(ToolsFeature.ofSync(new Repository(
                        tools.stream().map(ModernServer::definition).toList())))
                .build();
        ServletHolder servlet = new ServletHolder(
                HttpServletMcpTransport.builder(mcp).endpoint(PATH).build());
        servlet.setAsyncSupported(true);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(servlet, PATH);
        Server jetty = new Server();
        ServerConnector connector = new ServerConnector(jetty, 1, 1);
        connector.setHost("127.0.0.1");
        jetty.addConnector(connector);
        jetty.setHandler(context);
        jetty.start();
        return new ModernServer(jetty);
    }

    URI url() {
        return jetty.getURI().resolve(PATH);
    }

    @Override
    public void close() {
        LifeCycle.stop(jetty);
    }

    private static Tool definition(String name) {
        return Tool.builder(name, Map.of("type", "object"))
                .description("Says its name.")
                .build();
    }

    private record Repository(List<Tool> definitions) implements McpSyncToolRepository {

        @Override
        public ToolsPage list(McpRequestContext context, String cursor) {
            return ToolsPage.of(definitions);
        }

        @Override
        public McpSyncTool find(McpRequestContext context, String name) {
            return definitions.stream()
                    .filter(tool -> tool.name().equals(name))
                    .findFirst()
                    .map(tool -> McpSyncTool.of(
                            tool,
                            (call, request) -> McpSyncResponse.result(CallToolResult.builder()
                                    .addContent(TextContent.builder(name).build())
                                    .build())))
                    .orElse(null);
        }
    }
}
