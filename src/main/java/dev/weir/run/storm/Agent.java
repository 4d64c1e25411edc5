package dev.weir.run.storm;

import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.Implementation;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * An MCP client in an open session.
 *
 * <p>Safe for use by many threads. Its threads are daemons.
 */
final class Agent implements AutoCloseable {

    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration HANDSHAKE = Duration.ofSeconds(10);
    private static final Duration ANSWER = Duration.ofSeconds(30);
    private static final Duration GOODBYE = Duration.ofSeconds(2);

    /** Few, because the HTTP client's own pool starts a thread for every burst of answers, and so slows the caller down. */
    private static final int THREADS = 2;

    private final McpAsyncClient client;
    private final ExecutorService threads;

    private Agent(McpAsyncClient client, ExecutorService threads) {
        this.client = client;
        this.threads = threads;
    }

    /** That no session could be had; the message says in one line where and why not. */
    static final class NoSessionException extends Exception {
        NoSessionException(URI url, Throwable cause) {
            super("no MCP session at " + url + ": " + Failure.words(cause), cause);
        }
    }

    /** Shakes hands with the server. */
    static Agent connect(URI url, @Nullable String key) throws NoSessionException {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS, Agent::daemon);
        McpAsyncClient client = McpClient.async(transport(url, key, threads))
                .clientInfo(Implementation.builder("weir-storm", "1").build())
                .initializationTimeout(HANDSHAKE)
                .requestTimeout(ANSWER)
                .build();
        Agent agent = new Agent(client, threads);
        try {
            client.initialize().block();
            return agent;
        } catch (RuntimeException e) {
            agent.close();
            throw new NoSessionException(url, e);
        }
    }

    /** Makes the call when it is subscribed to, and comes to one answer: a failure is one too. */
    Mono<Answer> call(CallToolRequest request) {
        return client.callTool(request).map(Answer::of).onErrorResume(error -> Mono.just(Answer.of(error)));
    }

    /** Ends the session as far as the server lets us: one that has banned us may refuse that too. */
    @Override
    public void close() {
        client.closeGracefully().timeout(GOODBYE).onErrorComplete().block();
        threads.shutdown();
    }

    private static HttpClientStreamableHttpTransport transport(URI url, @Nullable String key, ExecutorService threads) {
        HttpRequest.Builder request = HttpRequest.newBuilder();
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        return HttpClientStreamableHttpTransport.builder(url.resolve("/").toString())
                .endpoint(pathAndQuery(url))
                .connectTimeout(CONNECT)
                .customizeClient(http -> http.executor(threads))
                .requestBuilder(request)
                .build();
    }

    private static String pathAndQuery(URI url) {
        String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        return url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "weir-storm");
        thread.setDaemon(true);
        return thread;
    }
}
