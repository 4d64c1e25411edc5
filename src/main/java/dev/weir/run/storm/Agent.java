package dev.weir.run.storm;

import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.Implementation;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Opens and ends the MCP session that a storm blows through. */
final class Agent {

    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration HANDSHAKE = Duration.ofSeconds(10);
    private static final Duration ANSWER = Duration.ofSeconds(30);
    private static final Duration GOODBYE = Duration.ofSeconds(2);

    private Agent() {}

    /** That no session could be had; the message says in one line where and why not. */
    static final class NoSessionException extends Exception {
        NoSessionException(URI url, Throwable cause) {
            super("no MCP session at " + url + ": " + Failure.words(cause), cause);
        }
    }

    static McpAsyncClient connect(Plan plan) throws NoSessionException {
        URI url = plan.url();
        var transport = HttpClientStreamableHttpTransport.builder(
                        url.resolve("/").toString())
                .endpoint(pathAndQuery(url))
                .connectTimeout(CONNECT);
        @Nullable String key = plan.key();
        if (key != null) {
            transport.requestBuilder(HttpRequest.newBuilder().header("Authorization", "Bearer " + key));
        }
        McpAsyncClient client = McpClient.async(transport.build())
                .clientInfo(Implementation.builder("weir-storm", "1").build())
                .initializationTimeout(HANDSHAKE)
                .requestTimeout(ANSWER)
                .build();
        try {
            client.initialize().block();
            return client;
        } catch (RuntimeException e) {
            leave(client);
            throw new NoSessionException(url, e);
        }
    }

    /** Ends the session as far as the server lets us: one that has banned us may refuse that too. */
    static void leave(McpAsyncClient client) {
        client.closeGracefully().timeout(GOODBYE).onErrorComplete().block();
    }

    private static String pathAndQuery(URI url) {
        String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        return url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
    }
}
