package dev.weir.upstream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.client.ByteBufferRequestContent;
import org.eclipse.jetty.client.ContinueProtocolHandler;
import org.eclipse.jetty.client.DuplexConnectionPool;
import org.eclipse.jetty.client.EarlyHintsProtocolHandler;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.ProcessingProtocolHandler;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's HTTP/1.1 client with one connect timeout and one trust, stripped of all that a gateway must not do. Each route has
 * connections of its own, and long-lived answers have others again, so that a great many idle streams do not slow the search
 * for a free connection down.
 *
 * <p>Safe for use by many threads.
 */
final class JettyWay {

    /*
     * Common servers close a connection that was idle for five seconds. A connection that is given up before that cannot
     * be closed under a call just being sent, which nobody could safely send again.
     */
    private static final long UNUSED_CONNECTION_MILLIS = 4_000;

    /** After this, what Jetty keeps for a route that no longer is there is dropped. */
    private static final long UNUSED_POOL_MILLIS = 60_000;

    private static final int RESPONSE_BUFFER = 8 * 1024;

    /** No bound: calls are counted before Jetty sees them, because its own bound is the same for all routes. */
    private static final int ANY_NUMBER = 1 << 20;

    private static final int CLOSED = -1;

    /** Whose connections they are. A route whose bound is changed gets new ones, and leaves the old to those who use them. */
    private record Pool(String route, boolean longLived, int maxConnections) {}

    private final HttpClient client;
    private final int maxStreams;

    /** The calls under way, and those that wait for a connection, by pool and upstream. */
    private final Map<String, Integer> taken = new ConcurrentHashMap<>();

    /** The calls under way, or {@link #CLOSED}. */
    private final AtomicInteger underWay = new AtomicInteger();

    private JettyWay(HttpClient client, int maxStreams) {
        this.client = client;
        this.maxStreams = maxStreams;
    }

    /** @param trust null for that of the JVM */
    static JettyWay open(JettyUpstreamClient.Shared shared, Duration connectTimeout, @Nullable SSLContext trust) {
        HttpClientTransportOverHTTP transport = new HttpClientTransportOverHTTP(connector(trust));
        transport.setConnectionPoolFactory(destination -> new DuplexConnectionPool(
                destination, ((Pool) destination.getOrigin().getTag()).maxConnections()));
        HttpClient client = new HttpClient(transport);
        client.setName("weir-upstream");
        client.setExecutor(shared.threads());
        client.setScheduler(shared.timer());
        client.setByteBufferPool(shared.buffers());
        // Arrays can be handed to the servlet's stream without a copy.
        client.setUseInputDirectByteBuffers(false);
        client.setResponseBufferSize(RESPONSE_BUFFER);
        client.setConnectTimeout(connectTimeout.toMillis());
        client.setAddressResolutionTimeout(connectTimeout.toMillis());
        client.setIdleTimeout(UNUSED_CONNECTION_MILLIS);
        client.setDestinationIdleTimeout(UNUSED_POOL_MILLIS);
        client.setMaxRequestsQueuedPerDestination(ANY_NUMBER);
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
        return new JettyWay(client, shared.maxStreams());
    }

    private static ClientConnector connector(@Nullable SSLContext trust) {
        // As it comes, it compares the certificate with the host's name, and sends that name.
        SslContextFactory.Client tls = new SslContextFactory.Client();
        if (trust != null) {
            tls.setSslContext(trust);
        }
        ClientConnector connector = new ClientConnector();
        connector.setSelectors(1);
        connector.setSslContextFactory(tls);
        return connector;
    }

    /** Announces a call; false if this is closed. Whoever may come in must send. */
    boolean enter() {
        return underWay.getAndUpdate(calls -> calls == CLOSED ? CLOSED : calls + 1) != CLOSED;
    }

    /** Closes if no call is under way; says whether it has. */
    boolean closeIfIdle() {
        if (!underWay.compareAndSet(0, CLOSED)) {
            return false;
        }
        LifeCycle.stop(client);
        return true;
    }

    /** Closes; calls under way fail. */
    void close() {
        underWay.set(CLOSED);
        LifeCycle.stop(client);
    }

    /** Sends a request after {@link #enter}. */
    UpstreamClient.Call send(Upstream upstream, UpstreamRequest upstreamRequest, UpstreamClient.Answer answer) {
        boolean longLived = upstreamRequest.longLived();
        int connections = longLived ? maxStreams : upstream.limits().maxConnections();
        Request request = client.newRequest(upstreamRequest.target())
                .method(upstreamRequest.method())
                .tag(new Pool(upstream.prefix(), longLived, connections))
                // How long a call may take is its owner's affair.
                .idleTimeout(0, TimeUnit.MILLISECONDS);
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
        String place = upstream.prefix()
                + (longLived ? " streams " : " ")
                + upstream.base().getRawAuthority();
        if (!take(place, connections + (longLived ? 0 : upstream.limits().maxQueued()))) {
            leave();
            answer.onNothingSent(new RejectedExecutionException("too many calls wait for " + upstream.origin()));
            return cause -> {};
        }
        Sending sending = new Sending(answer, () -> {
            giveBack(place);
            leave();
        });
        request.onRequestBegin(sending::onBegun);
        request.onRequestCommit(committed -> sending.onCommitted());
        request.onResponseHeaders(response -> head(response, answer));
        request.onResponseContentAsync((response, chunk, demander) -> content(chunk, demander, answer));
        if (content != null) {
            // A server may answer without reading all of it, and then the request does not end by itself.
            request.onResponseSuccess(response -> sending.onAnswered(content.isSent()));
        }
        request.send(sending);
        if (streamed != null && content != null) {
            streamed.sendTo(content);
        }
        return cause -> {
            // Whether there was still something to abort does not matter.
            CompletableFuture<Boolean> unused = request.abort(cause);
        };
    }

    private boolean take(String place, int most) {
        boolean[] has = new boolean[1];
        taken.compute(place, (name, now) -> {
            int before = now == null ? 0 : now;
            has[0] = before < most;
            return has[0] ? Integer.valueOf(before + 1) : now;
        });
        return has[0];
    }

    private void giveBack(String place) {
        taken.computeIfPresent(place, (name, now) -> now == 1 ? null : now - 1);
    }

    private void leave() {
        underWay.updateAndGet(calls -> calls == CLOSED ? CLOSED : calls - 1);
    }

    private static void head(Response response, UpstreamClient.Answer answer) {
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

    private static void content(Content.Chunk chunk, Runnable demander, UpstreamClient.Answer answer) {
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
}
