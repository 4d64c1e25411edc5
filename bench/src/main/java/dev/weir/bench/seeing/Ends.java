package dev.weir.bench.seeing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** What a Weir talks to: an upstream that answers every call at once, and a collector that takes every span. */
final class Ends implements AutoCloseable {

    private static final byte[] ANSWER =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}"
                    .getBytes(StandardCharsets.UTF_8);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final AtomicLong spanBytes = new AtomicLong();

    Ends() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_024);
        server.setExecutor(threads);
        server.createContext("/mcp", exchange -> answer(exchange, "application/json", ANSWER));
        server.createContext("/v1/traces", exchange -> answer(exchange, "application/x-protobuf", new byte[0]));
        server.start();
    }

    String upstream() {
        return collector() + "/mcp";
    }

    String collector() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** How many bytes of spans have come. */
    long spanBytes() {
        return spanBytes.get();
    }

    private void answer(HttpExchange exchange, String type, byte[] body) throws IOException {
        try (exchange) {
            int length = exchange.getRequestBody().readAllBytes().length;
            if (body.length == 0) {
                spanBytes.addAndGet(length);
            }
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
