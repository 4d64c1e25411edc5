package dev.weir.run.demo;

import io.modelcontextprotocol.server.McpAsyncServer;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/**
 * An MCP server to stand behind a gateway: streamable HTTP on a free port of the loopback address, path {@code /mcp}.
 *
 * <p>It offers the tools {@code echo}, {@code get_time}, {@code inspect_table_schema} and {@code export_report}, one
 * resource and one prompt, over a sample database in memory that is its own. It asks nobody who they are.
 *
 * <p>Safe for use by many threads. All its threads are daemons.
 */
public final class DemoServer implements AutoCloseable {

    private static final String PATH = "/mcp";

    /*
     * The SDK's servlet keeps a container thread until a request is answered, however asynchronous the tool is. So this is
     * the number of exports that may be on their way at once, before other calls wait for one of them.
     */
    private static final int MAX_THREADS = 64;

    private static final int MIN_THREADS = 4;

    private static final Duration GOODBYE = Duration.ofSeconds(2);

    private final SampleDatabase database;
    private final McpAsyncServer mcp;
    private final Server jetty;
    private final URI url;

    private DemoServer(SampleDatabase database, McpAsyncServer mcp, Server jetty, URI url) {
        this.database = database;
        this.mcp = mcp;
        this.jetty = jetty;
        this.url = url;
    }

    /**
     * Starts a server with a database of its own. It answers when this returns.
     *
     * @throws Exception if the database or the port cannot be had; nothing is left running then
     */
    public static DemoServer start() throws Exception {
        SampleDatabase database = SampleDatabase.create();
        Server jetty = new Server(threads());
        try {
            var transport = transport();
            McpAsyncServer mcp = mcpServer(transport, database);
            ServerConnector connector = listen(jetty, transport);
            jetty.start();
            URI url = new URI("http", null, connector.getHost(), connector.getLocalPort(), PATH, null, null);
            return new DemoServer(database, mcp, jetty, url);
        } catch (Exception e) {
            jetty.stop();
            database.close();
            throw e;
        }
    }

    /** Where it answers, as {@code http://127.0.0.1:PORT/mcp}. */
    public URI url() {
        return url;
    }

    /** Ends all sessions, the port and the database. Closing again does nothing. */
    @Override
    public void close() {
        if (jetty.isStopped()) {
            return;
        }
        try {
            mcp.closeGracefully().block(GOODBYE);
        } finally {
            try {
                LifeCycle.stop(jetty);
            } finally {
                database.close();
            }
        }
    }

    private static HttpServletStreamableServerTransportProvider transport() {
        // No sweeper of idle sessions: the SDK's is a thread that is no daemon and is never stopped, and would keep the
        // JVM.
        return HttpServletStreamableServerTransportProvider.builder()
                .mcpEndpoint(PATH)
                .sessionSweepInterval(null)
                .build();
    }

    private static McpAsyncServer mcpServer(
            HttpServletStreamableServerTransportProvider transport, SampleDatabase database) {
        return McpServer.async(transport)
                .serverInfo("weir-demo", "1")
                .instructions(
                        "A sample shop database. Look at a table with inspect_table_schema before you ask about it.")
                .capabilities(ServerCapabilities.builder()
                        .tools(false)
                        .resources(false, false)
                        .prompts(false)
                        .build())
                .tools(
                        ShortTools.echo(),
                        ShortTools.getTime(Clock.systemUTC()),
                        ShortTools.inspectTableSchema(database),
                        ExportReport.tool())
                .resources(ReadingMatter.readme())
                .prompts(ReadingMatter.summariseTable(database))
                .build();
    }

    private static QueuedThreadPool threads() {
        QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS, MIN_THREADS);
        threads.setName("weir-demo");
        threads.setDaemon(true);
        return threads;
    }

    private static ServerConnector listen(Server jetty, HttpServletStreamableServerTransportProvider transport) {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        ServerConnector connector = new ServerConnector(
                jetty,
                null,
                new ScheduledExecutorScheduler("weir-demo-timer", true),
                null,
                1,
                1,
                new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        jetty.addConnector(connector);

        ServletHolder servlet = new ServletHolder(transport);
        servlet.setAsyncSupported(true);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(servlet, PATH);
        jetty.setHandler(context);
        // No graceful stop: it would wait for idle connections that clients keep open, and the sessions are ended
        // before it.
        jetty.setStopTimeout(0);
        return connector;
    }
}
