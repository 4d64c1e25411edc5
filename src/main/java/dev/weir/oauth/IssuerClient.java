package dev.weir.oauth;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.BufferingResponseListener;
import org.eclipse.jetty.client.ContinueProtocolHandler;
import org.eclipse.jetty.client.EarlyHintsProtocolHandler;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.ProcessingProtocolHandler;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/**
 * Asks the issuer for small documents: no redirects, no cookies, no more bytes and no more time than it is given. Safe for use by
 * many threads; never waits.
 */
final class IssuerClient implements AutoCloseable {

    private static final int MOST_QUEUED = 16;

    /**
     * What one document may take.
     *
     * @param time  from the request to the last byte, the search for the address too
     * @param bytes of its body
     */
    record Bounds(Duration time, int bytes) {}

    /** A whole answer. */
    record Answer(int status, String body) {}

    private final HttpClient client;
    private final Bounds bounds;

    private IssuerClient(HttpClient client, Bounds bounds) {
        this.client = client;
        this.bounds = bounds;
    }

    /** @param threads at least four, of which one is taken for as long as this is open */
    static IssuerClient start(Bounds bounds, ScheduledExecutorService threads) {
        ClientConnector connector = new ClientConnector();
        connector.setSelectors(1);
        HttpClient client = new HttpClient(new HttpClientTransportOverHTTP(connector));
        client.setName("weir-issuer");
        client.setExecutor(threads);
        client.setScheduler(new ScheduledExecutorScheduler(threads));
        client.setConnectTimeout(bounds.time().toMillis());
        client.setAddressResolutionTimeout(bounds.time().toMillis());
        client.setMaxConnectionsPerDestination(1);
        client.setMaxRequestsQueuedPerDestination(MOST_QUEUED);
        client.setFollowRedirects(false);
        client.setHttpCookieStore(new HttpCookieStore.Empty());
        client.setUserAgentField(null);
        try {
            client.start();
        } catch (Exception e) {
            throw new IllegalStateException("the client of the issuer did not start", e);
        }
        // Put there by the start, so they go after it. What is not compressed does not grow while it is unpacked.
        client.getContentDecoderFactories().clear();
        client.getProtocolHandlers().clear();
        // A server may send these unasked before its answer, and a client has to read over them.
        client.getProtocolHandlers().put(new ContinueProtocolHandler());
        client.getProtocolHandlers().put(new ProcessingProtocolHandler());
        client.getProtocolHandlers().put(new EarlyHintsProtocolHandler());
        return new IssuerClient(client, bounds);
    }

    /** The answer of an address, or an {@link IOException} that says why there is none. */
    CompletableFuture<Answer> get(URI address) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        client.newRequest(address)
                .headers(fields -> fields.put(HttpHeader.ACCEPT, "application/json"))
                .timeout(bounds.time().toMillis(), TimeUnit.MILLISECONDS)
                .send(new BufferingResponseListener(bounds.bytes()) {
                    @Override
                    public void onComplete(Result result) {
                        if (result.isSucceeded()) {
                            answer.complete(new Answer(
                                    result.getResponse().getStatus(), getContentAsString(StandardCharsets.UTF_8)));
                        } else {
                            answer.completeExceptionally(
                                    new IOException(address + " did not answer", result.getFailure()));
                        }
                    }
                });
        return answer;
    }

    @Override
    public void close() {
        LifeCycle.stop(client);
    }
}
