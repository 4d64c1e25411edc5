package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import dev.weir.upstream.Bounds;
import dev.weir.upstream.JettyUpstreamClient;
import dev.weir.upstream.Limits;
import dev.weir.upstream.Manners;
import dev.weir.upstream.Targets;
import dev.weir.upstream.Upstream;
import jakarta.servlet.DispatcherType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.component.LifeCycle;

/** The servlet in a real server, behind a filter that judges nothing, with a clock that a test can put forward. */
final class Front implements AutoCloseable {

    static final Duration FIRST_BYTE = Bounds.FIRST_BYTE;
    static final Duration IDLE = Bounds.IDLE;
    static final Duration COMMENT_AFTER = Duration.ofSeconds(15);

    /** Seals under one and the same key, so that a test may make what a client would have been told. */
    static final Seals SEALS = new Seals();

    static {
        SEALS.use(new byte[32]);
    }

    private final AtomicLong ahead = new AtomicLong();
    private final Queue<String> outcomes = new ConcurrentLinkedQueue<>();
    private final JettyUpstreamClient client;
    private final Exchanges exchanges = new Exchanges(() -> System.nanoTime() + ahead.get(), COMMENT_AFTER);
    private final Targets targets = new Targets(() -> System.nanoTime() + ahead.get(), InstantSource.system());
    private final LegacyStreams streams = new LegacyStreams(SEALS);
    private final Server server;

    private Front(Upstream mcp, JettyUpstreamClient client) throws Exception {
        this.client = client;
        Routes routes = path -> path.equals("/mcp") || path.startsWith("/mcp/") ? mcp : null;
        server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        ServletContextHandler context = new ServletContextHandler();
        FilterHolder filter = new FilterHolder(new JudgingFilter(outcomes));
        filter.setAsyncSupported(true);
        context.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
        ServletHolder servlet = new ServletHolder(
                new ProxyServlet(routes, targets, client, exchanges, streams, InstantSource.system()));
        servlet.setAsyncSupported(true);
        context.addServlet(servlet, "/*");
        server.setHandler(context);
        server.start();
    }

    static Front to(URI upstream) throws Exception {
        return to(upstream, limits(FIRST_BYTE, IDLE));
    }

    static Front to(URI upstream, Limits limits) throws Exception {
        return to(
                new Upstream("/mcp", upstream, limits, Manners.MCP),
                JettyUpstreamClient.start(JettyUpstreamClient.Settings.defaults()));
    }

    static Front to(Upstream upstream) throws Exception {
        return to(upstream, JettyUpstreamClient.start(JettyUpstreamClient.Settings.defaults()));
    }

    /** @param client closed with this */
    static Front to(Upstream upstream, JettyUpstreamClient client) throws Exception {
        return new Front(upstream, client);
    }

    static Limits limits(Duration firstByte, Duration idle) {
        return Bounds.limits(firstByte, idle);
    }

    int port() {
        return server.getURI().getPort();
    }

    /** Puts the clock forward and sweeps, as if nothing had happened for so long. */
    void sweepAfter(Duration time) {
        ahead.addAndGet(time.toNanos());
        exchanges.sweep();
    }

    /** What is known of the targets. */
    Targets targets() {
        return targets;
    }

    /** Where refusals of HTTP+SSE clients are told. */
    LegacyStreams streams() {
        return streams;
    }

    int underWay() {
        return exchanges.size();
    }

    /** Ends all streams between two of their events. */
    void finishStreams() {
        exchanges.finishStreams();
    }

    /** Ends all that is under way, as at a shutdown. */
    void stopExchanges() {
        exchanges.close();
    }

    /** What was left in {@link JudgedRequest#FAILURE}, or "none", of each asynchronous request that has ended. */
    List<String> outcomes() {
        return List.copyOf(outcomes);
    }

    @Override
    public void close() {
        exchanges.close();
        LifeCycle.stop(server);
        client.close();
    }
}
