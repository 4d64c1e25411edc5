package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Weir with one upstream behind many routes, which behaves on each as a test says, and clients that may be many. */
final class CircuitRig implements AutoCloseable {

    static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}";
    static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";

    static final StubUpstream.Behaviour GOOD = (request, line) -> line.json(200, RESULT);
    static final StubUpstream.Behaviour FAILING = (request, line) -> line.json(503, "{\"a\":1}");

    private static final Pattern REST = Pattern.compile("\"retryAfterMs\":(\\d+)");

    final StubUpstream upstream;
    final RunningWeir weir;
    private final Map<String, StubUpstream.Behaviour> behaviours = new ConcurrentHashMap<>();
    private final List<Wire> wires = new ArrayList<>();

    private CircuitRig(Path directory, List<String> edits) throws Exception {
        upstream = new StubUpstream(this::answer);
        List<String> all = new ArrayList<>(edits);
        all.replaceAll(edit -> edit.replace("UPSTREAM", upstream.base().toString()));
        weir = RunningWeir.startWith(
                all,
                directory,
                upstream.base(),
                "mcp.rate-limit.requests-per-second",
                "10000",
                "mcp.rate-limit.burst-size",
                "10000",
                "mcp.stop.grace-seconds",
                "0");
    }

    /** @param edits run before the start; UPSTREAM stands for the upstream's address */
    static CircuitRig start(Path directory, String... edits) throws Exception {
        return new CircuitRig(directory, List.of(edits));
    }

    /** SQL for a route of this name, with columns of its own: {@code "breaker_failures", "1"}. */
    static String route(String name, String... columns) {
        StringBuilder names = new StringBuilder("INSERT INTO route (prefix, upstream_url");
        StringBuilder values = new StringBuilder(") VALUES ('/" + name + "', 'UPSTREAM/" + name + "'");
        for (int i = 0; i < columns.length; i += 2) {
            names.append(", ").append(columns[i]);
            values.append(", ").append(columns[i + 1]);
        }
        return names + values.toString() + ")";
    }

    private void answer(StubUpstream.Received request, StubUpstream.Line line) throws Exception {
        String path = request.requestLine().split(" ", 3)[1];
        String name = path.substring(path.lastIndexOf('/') + 1);
        behaviours.getOrDefault(name, GOOD).answer(request, line);
    }

    /** How the upstream behaves on a route from now on. */
    void behave(String name, StubUpstream.Behaviour behaviour) {
        behaviours.put(name, behaviour);
    }

    /** How many requests of a route have come to the upstream. */
    long received(String name) {
        return upstream.received().stream()
                .filter(request -> request.requestLine().contains("/mcp/" + name + " "))
                .count();
    }

    /** A connection that is closed at the end. */
    Wire wire() throws IOException {
        Wire wire = weir.wire();
        synchronized (wires) {
            wires.add(wire);
        }
        return wire;
    }

    static String post(String name, String key, String body) {
        return RunningWeir.post(key, body).replaceFirst("POST /mcp", "POST /" + name);
    }

    /** Sends a call on a connection of its own. */
    Wire send(String name) throws IOException {
        return send(name, RunningWeir.K1, LIST);
    }

    Wire send(String name, String key, String body) throws IOException {
        Wire wire = wire();
        wire.send(post(name, key, body));
        return wire;
    }

    /** What a call is answered. */
    Wire.Answer call(String name) throws IOException {
        return send(name).answer();
    }

    /** Sends a call, and waits for its end, however that looks. */
    void run(String name) throws IOException {
        end(send(name));
    }

    static void end(Wire wire) {
        try {
            wire.answer();
        } catch (IOException | NumberFormatException e) {
            // Broken, as it should be.
        }
    }

    /** Whether a call gets no further than to the circuit. */
    boolean isOpen(String name) throws IOException {
        Wire.Answer answer = call(name);
        return answer.status() == 503 && answer.body().contains("\"circuit_open\"");
    }

    /** When an open circuit will have rested for as long as it says, on the clock of this machine, in nanoseconds. */
    long restUntil(String name) throws IOException {
        String body = call(name).body();
        Matcher rest = REST.matcher(body);
        assertThat(rest.find()).as(body).isTrue();
        return System.nanoTime()
                + Duration.ofMillis(Long.parseLong(rest.group(1))).toNanos();
    }

    /** Nothing can be awaited but the time: whoever asked for the state by a call would be the probe. */
    static void sleepUntil(long nanos) throws InterruptedException {
        Thread.sleep(Math.max(0, Duration.ofNanos(nanos - System.nanoTime()).toMillis() + 1));
    }

    /** What /health says of a route's circuit. */
    String state(String name) throws IOException {
        String health = weir.probe("/health");
        String start = "\"/" + name + "\":{\"state\":\"";
        int at = health.indexOf(start);
        return at < 0 ? "none" : health.substring(at + start.length(), health.indexOf('"', at + start.length()));
    }

    void awaitState(String name, String state) {
        await().pollInterval(Duration.ofMillis(50)).until(() -> state.equals(state(name)));
    }

    double counted(String name, String outcome) throws IOException {
        return Scrape.of(weir).value("weir_breaker_calls_total{outcome=\"" + outcome + "\",route=\"/" + name + "\"}");
    }

    @Override
    public void close() throws IOException {
        synchronized (wires) {
            for (Wire wire : wires) {
                wire.close();
            }
        }
        weir.close();
        upstream.close();
    }
}
