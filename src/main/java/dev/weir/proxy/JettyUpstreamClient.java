package dev.weir.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.client.ByteBufferRequestContent;
import org.eclipse.jetty.client.ContinueProtocolHandler;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.DuplexConnectionPool;
import org.eclipse.jetty.client.EarlyHintsProtocolHandler;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.ProcessingProtocolHandler;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/**
 * Jetty's HTTP/1.1 client, stripped of all that a gateway must not do. Long-lived answers have connections of their own, so
 * that a great many idle streams do not slow the search for a free connection down.
 *
 * <p>Safe for use by many threads. Close it to close all connections; calls under way fail then.
 */
public final class JettyUpstreamClient implements UpstreamClient, AutoCloseable {

    private static final String LONG_LIVED = "long-lived";

    /*
     * Common servers close a connection that was idle for five seconds. A connection that is given up before that cannot
     * be closed under a call just being sent, which nobody could safely send again.
     */
    private static final long UNUSED_CONNECTION_MILLIS = 4_000;

    /**
     * The bounds of the client.
     *
     * @param connectTimeout for finding the host's address, and again for opening the connection
     * @param maxConnections the most connections to one upstream for short calls
     * @param maxStreams     the most connections to one upstream for long-lived answers
     * @param maxQueued      the most calls that wait for a connection to one upstream; those beyond are rejected
     * @param threads        the most threads
     */
    public record Settings(Duration connectTimeout, int maxConnections, int maxStreams, int maxQueued, int threads) {

        /** Bounds for one gateway node on a small machine. */
        public static Settings defaults() {
            return new Settings(Duration.ofSeconds(3), 1_024, 16_384, 1_024, 16);
        }
    }

    private static final int RESPONSE_BUFFER = 8 * 1024;

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

    private final HttpClient client;

    private JettyUpstreamClient(HttpClient client) {
        this.client = client;
    }

    /** A client with threads of its own, running. */
    public static JettyUpstreamClient start(Settings settings) {
        HttpClientTransportOverHTTP transport = new HttpClientTransportOverHTTP(1);
        transport.setConnectionPoolFactory(
                destination -> new DuplexConnectionPool(destination, limit(destination, settings)));
        HttpClient client = new HttpClient(transport);
        client.setName("weir-upstream");
        client.setExecutor(threads(settings.threads()));
        client.setScheduler(new ScheduledExecutorScheduler("weir-upstream-timer", true));
        client.setByteBufferPool(new Buffers());
        // Arrays can be handed to the servlet's stream without a copy.
        client.setUseInputDirectByteBuffers(false);
        client.setResponseBufferSize(RESPONSE_BUFFER);
        client.setConnectTimeout(settings.connectTimeout().toMillis());
        client.setAddressResolutionTimeout(settings.connectTimeout().toMillis());
        client.setIdleTimeout(UNUSED_CONNECTION_MILLIS);
        client.setMaxRequestsQueuedPerDestination(settings.maxQueued());
        client.setStrictEventOrdering(false);
        client.setFollowRedirects(false);
        client.setHttpCookieStore(new HttpCookieStore.Empty());
        client.setUserAgentField(null);
        client.setDefaultRequestContentType(null);
        try {
            client.start();
        } catch (Exception e) {
            throw new IllegalStateException("the upstream client did not start", e);
        }
        // Put there by the start, so they go after it.
        client.getContentDecoderFactories().clear();
        client.getProtocolHandlers().clear();
        // A server may send these unasked before its answer, and a client has to read over them.
        client.getProtocolHandlers().put(new ContinueProtocolHandler());
        client.getProtocolHandlers().put(new ProcessingProtocolHandler());
        client.getProtocolHandlers().put(new EarlyHintsProtocolHandler());
        return new JettyUpstreamClient(client);
    }

    private static int limit(Destination destination, Settings settings) {
        boolean longLived = LONG_LIVED.equals(destination.getOrigin().getTag());
        return longLived ? settings.maxStreams() : settings.maxConnections();
    }

    private static QueuedThreadPool threads(int most) {
        QueuedThreadPool threads = new QueuedThreadPool(most, Math.min(most, 4));
        threads.setName("weir-upstream");
        threads.setDaemon(true);
        return threads;
    }

    @Override
    public Call send(UpstreamRequest upstreamRequest, Answer answer) {
        Request request = client.newRequest(upstreamRequest.target())
                .method(upstreamRequest.method())
                // How long a call may take is its owner's affair.
                .idleTimeout(0, TimeUnit.MILLISECONDS);
        if (upstreamRequest.longLived()) {
            request.tag(LONG_LIVED);
        }
        request.headers(fields -> {
            for (Header header : upstreamRequest.headers()) {
                fields.add(header.name(), header.value());
            }
        });
        if (upstreamRequest.body().hasRemaining()) {
            request.body(new ByteBufferRequestContent(upstreamRequest.body()));
        }
        RequestBody streamed = upstreamRequest.streamed();
        StreamedContent content = streamed == null ? null : new StreamedContent(streamed.length());
        if (content != null) {
            request.body(content);
        }
        request.onResponseHeaders(response -> head(response, answer));
        request.onResponseContentAsync((response, chunk, demander) -> content(chunk, demander, answer));
        AtomicBoolean told = new AtomicBoolean();
        if (content != null) {
            // A server may answer without reading all of it, and then the request does not end by itself.
            request.onResponseSuccess(response -> {
                if (!content.isSent() && told.compareAndSet(false, true)) {
                    answer.onComplete();
                }
            });
        }
        request.send(result -> end(result, answer, told));
        if (streamed != null && content != null) {
            streamed.sendTo(content);
        }
        return cause -> {
            // Whether there was still something to abort does not matter.
            CompletableFuture<Boolean> unused = request.abort(cause);
        };
    }

    private static void head(Response response, Answer answer) {
        // An upgrade, which nobody asked for, is no answer.
        if (response.getStatus() >= 200) {
            answer.onHead(response.getStatus(), headers(response));
        }
    }

    private static List<Header> headers(Response response) {
        List<Header> headers = new ArrayList<>(response.getHeaders().size());
        for (HttpField field : response.getHeaders()) {
            String value = field.getValue();
            headers.add(new Header(field.getName(), value == null ? "" : value));
        }
        return headers;
    }

    private static void content(Content.Chunk chunk, Runnable demander, Answer answer) {
        if (!chunk.hasRemaining()) {
            demander.run();
            return;
        }
        chunk.retain();
        answer.onContent(chunk.getByteBuffer(), () -> {
            chunk.release();
            demander.run();
        });
    }

    private static void end(Result result, Answer answer, AtomicBoolean told) {
        // A request that broke off while its answer came whole (a server that did not care for the body) is answered.
        Throwable failure = result.getResponseFailure();
        if (!told.compareAndSet(false, true)) {
            return;
        }
        if (failure == null) {
            answer.onComplete();
        } else {
            answer.onFailure(failure);
        }
    }

    @Override
    public void close() {
        try {
            client.stop();
        } catch (Exception e) {
            throw new IllegalStateException("the upstream client did not stop", e);
        }
    }
}
