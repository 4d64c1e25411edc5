package dev.weir.wire;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;

/** A receiver of webhooks that keeps what it gets, and answers as a test says. */
public final class HookReceiver implements AutoCloseable {

    /** What has come; the headers by any spelling of their names. */
    public record Received(String query, Headers headers, String body) {

        /** The first field of a name; empty if there is none. */
        public String header(String name) {
            String value = headers.getFirst(name);
            return value == null ? "" : value;
        }
    }

    /** How one request is answered. */
    public interface Reply {
        void to(HttpExchange exchange) throws IOException, InterruptedException;
    }

    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final HttpServer server;

    /** @param replies how the first request is answered, the second and so on, counted from 1 */
    public HookReceiver(IntFunction<Reply> replies) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            int number;
            synchronized (received) {
                received.add(new Received(exchange.getRequestURI().getRawQuery(), exchange.getRequestHeaders(), body));
                number = received.size();
            }
            try (exchange) {
                replies.apply(number).to(exchange);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
    }

    /** One that takes everything. */
    public static HookReceiver good() throws IOException {
        return new HookReceiver(number -> status(200, "ok"));
    }

    /** Answers so. Headers by name and value. */
    public static Reply status(int status, String body, String... headers) {
        return exchange -> {
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
            }
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            if (bytes.length > 0) {
                exchange.getResponseBody().write(bytes);
            }
        };
    }

    /** Never answers. */
    public Reply silence() {
        return exchange -> closed.await();
    }

    /** Answers with a head, and a body that never ends. */
    public Reply endless(int status) {
        return exchange -> {
            exchange.sendResponseHeaders(status, 0);
            exchange.getResponseBody().write(' ');
            exchange.getResponseBody().flush();
            closed.await();
        };
    }

    /** Answers with a body of very many bytes, as fast as they are taken. */
    public static Reply flood(int status) {
        return exchange -> {
            exchange.sendResponseHeaders(status, 0);
            byte[] part = new byte[1 << 16];
            for (int i = 0; i < 1 << 10; i++) {
                exchange.getResponseBody().write(part);
            }
        };
    }

    /** Its address, with something after it. */
    public String url(String pathAndQuery) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + pathAndQuery;
    }

    /** What has come so far. */
    public List<Received> received() {
        return List.copyOf(received);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
