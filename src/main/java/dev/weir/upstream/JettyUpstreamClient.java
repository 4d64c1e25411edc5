package dev.weir.upstream;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.jspecify.annotations.Nullable;

/**
 * Sends by Jetty's HTTP/1.1 client. There is one such client for each connect timeout and each trust that routes ask for,
 * made when the first call needs it; all share threads, timer and buffers.
 *
 * <p>Safe for use by many threads. Close it to close all connections; calls under way fail then.
 */
public final class JettyUpstreamClient implements UpstreamClient, AutoCloseable {

    /** The most clients at the same time; twice as many as one policy may ask for, because two may follow each other. */
    private static final int MAX_CLIENTS = 64;

    /**
     * The bounds of all clients together.
     *
     * @param maxStreams the most connections of one route to one upstream for long-lived answers
     * @param threads    the most threads beside the one that each client needs
     */
    public record Settings(int maxStreams, int threads) {

        /** Bounds for one gateway node on a small machine. */
        public static Settings defaults() {
            return new Settings(16_384, 16);
        }
    }

    /** What routes must agree in to share a client. */
    private record Way(Duration connectTimeout, @Nullable String tls) {

        static Way to(Upstream upstream) {
            return new Way(upstream.limits().connect(), upstream.access().tls());
        }
    }

    /** What all clients share. */
    record Shared(QueuedThreadPool threads, ScheduledExecutorScheduler timer, ByteBufferPool buffers, int maxStreams) {}

    /**
     * Direct buffers, in which requests are sent, come from a pool. Heap buffers, into which answers are read, are each used
     * once, because Jetty's receiver may clear a buffer after it has given it back, if an answer fails while the thread
     * that announced its head is still on its way out. From a pool, that buffer could by then hold another client's answer.
     */
    private static final class Buffers extends ArrayByteBufferPool {

        Buffers() {
            super(0, 4_096, 65_536, 1_024, 1L << 20, 32L << 20);
        }

        @Override
        public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
            return direct ? super.acquire(size, true) : ByteBufferPool.NON_POOLING.acquire(size, false);
        }
    }

    private final Shared shared;
    private final Map<String, SSLContext> tls;
    private final Map<Way, JettyWay> ways = new ConcurrentHashMap<>();
    private volatile boolean closed;

    private JettyUpstreamClient(Shared shared, Map<String, SSLContext> tls) {
        this.shared = shared;
        this.tls = Map.copyOf(tls);
    }

    /** One that knows no trust but that of the JVM. */
    public static JettyUpstreamClient start(Settings settings) {
        return start(settings, Map.of());
    }

    /**
     * One with threads of its own, running.
     *
     * @param tls trust and certificates by the names that upstreams use; see {@link Access#tls}
     */
    public static JettyUpstreamClient start(Settings settings, Map<String, SSLContext> tls) {
        QueuedThreadPool threads = new QueuedThreadPool(settings.threads() + MAX_CLIENTS, 4);
        threads.setName("weir-upstream");
        threads.setDaemon(true);
        ScheduledExecutorScheduler timer = new ScheduledExecutorScheduler("weir-upstream-timer", true);
        try {
            threads.start();
            timer.start();
        } catch (Exception e) {
            throw new IllegalStateException("the upstream client did not start", e);
        }
        return new JettyUpstreamClient(new Shared(threads, timer, new Buffers(), settings.maxStreams()), tls);
    }

    @Override
    public Call send(Upstream upstream, UpstreamRequest request, Answer answer) {
        Way way = Way.to(upstream);
        while (!closed) {
            JettyWay open = ways.get(way);
            if (open == null) {
                if (ways.size() >= MAX_CLIENTS) {
                    break;
                }
                open = ways.computeIfAbsent(way, this::open);
            }
            if (open.enter()) {
                return open.send(upstream, request, answer);
            }
            // Closed since it was looked up.
            ways.remove(way, open);
        }
        answer.onNothingSent(new RejectedExecutionException(closed ? "stopping" : "too many ways to upstreams"));
        return cause -> {};
    }

    private JettyWay open(Way way) {
        SSLContext trust = null;
        if (way.tls() != null) {
            trust = tls.get(way.tls());
            if (trust == null) {
                throw new IllegalArgumentException("there is no trust named " + way.tls());
            }
        }
        return JettyWay.open(shared, way.connectTimeout(), trust);
    }

    /**
     * Closes the clients that none of these upstreams needs, each once its last call has ended. To be called now and then,
     * not on the way of a request.
     */
    public void retain(Collection<Upstream> upstreams) {
        Set<Way> used = upstreams.stream().map(Way::to).collect(Collectors.toSet());
        ways.forEach((way, open) -> {
            if (!used.contains(way) && open.closeIfIdle()) {
                ways.remove(way, open);
            }
        });
    }

    /** How many clients there are. */
    int size() {
        return ways.size();
    }

    @Override
    public void close() {
        closed = true;
        ways.values().forEach(JettyWay::close);
        LifeCycle.stop(shared.timer());
        LifeCycle.stop(shared.threads());
    }
}
