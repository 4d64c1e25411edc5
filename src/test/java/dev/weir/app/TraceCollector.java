package dev.weir.app;

import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;

/** Takes spans as a collector does, over OTLP in protobuf, compressed or not; or does as one that is ill. */
final class TraceCollector implements AutoCloseable {

    /** How it is. */
    enum Health {
        GOOD,
        BUSY,
        STUCK
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<ExportTraceServiceRequest> requests = new CopyOnWriteArrayList<>();
    private final List<String> heads = new CopyOnWriteArrayList<>();
    private volatile Health health = Health.GOOD;

    TraceCollector() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", this::take);
        server.setExecutor(threads);
        server.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void be(Health next) {
        health = next;
    }

    /** How often it has been sent something. */
    int attempts() {
        return heads.size();
    }

    /** The header fields of what it was sent. */
    List<String> heads() {
        return heads;
    }

    /** All that it has taken, as one text. */
    String all() {
        return requests.toString();
    }

    List<ExportTraceServiceRequest> requests() {
        return requests;
    }

    List<Span> spans() {
        return requests.stream()
                .flatMap(request -> request.getResourceSpansList().stream())
                .flatMap(resource -> resource.getScopeSpansList().stream())
                .flatMap(scope -> scope.getSpansList().stream())
                .toList();
    }

    /** Waits for a span. */
    Span span(Predicate<Span> which) {
        return await().atMost(Duration.ofSeconds(30))
                .until(() -> spans().stream().filter(which).findFirst(), Optional::isPresent)
                .orElseThrow();
    }

    /** Waits for the span that a request has made. */
    Span server(String requestId) {
        return span(span -> requestId.equals(text(span, "weir.request_id")));
    }

    /** Waits for a span within another. */
    Span within(Span parent, String name) {
        return span(span -> span.getParentSpanId().equals(parent.getSpanId())
                && span.getName().equals(name));
    }

    /** An attribute, as text; empty if there is none. */
    static String text(Span span, String key) {
        return span.getAttributesList().stream()
                .filter(attribute -> attribute.getKey().equals(key))
                .map(attribute -> attribute.getValue().hasStringValue()
                        ? attribute.getValue().getStringValue()
                        : Long.toString(attribute.getValue().getIntValue()))
                .findFirst()
                .orElse("");
    }

    static String hex(ByteString id) {
        StringBuilder hex = new StringBuilder();
        for (byte next : id.toByteArray()) {
            hex.append(String.format("%02x", next));
        }
        return hex.toString();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            heads.add(Map.copyOf(exchange.getRequestHeaders()).toString());
            boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
            InputStream in = exchange.getRequestBody();
            ExportTraceServiceRequest request =
                    ExportTraceServiceRequest.parseFrom(zipped ? new GZIPInputStream(in) : in);
            switch (health) {
                case GOOD -> {
                    requests.add(request);
                    byte[] answer =
                            ExportTraceServiceResponse.getDefaultInstance().toByteArray();
                    exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
                    exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
                }
                case BUSY -> {
                    exchange.getResponseHeaders().set("Retry-After", "1");
                    exchange.sendResponseHeaders(503, -1);
                }
                case STUCK -> {
                    var unused = end.await(60, TimeUnit.SECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
