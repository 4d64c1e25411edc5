package dev.weir.bench.streams;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.function.BooleanSupplier;

/**
 * Measures a running Weir with many open streams, and with clients that read slowly. Says on its standard output where its upstream
 * is, and reads from its standard input where Weir is and what its process is, because one has to be started with the other.
 */
public final class Streams {

    private static final int SLOW_READERS = 20;
    private static final int SLOW_SECONDS = 30;

    private final Upstream upstream;
    private final int port;
    private final String path;
    private final Watched weir;

    private Streams(Upstream upstream, int port, String path, Watched weir) {
        this.upstream = upstream;
        this.port = port;
        this.path = path;
        this.weir = weir;
    }

    /**
     * Measures, and prints what came of it.
     *
     * @param arguments how many idle streams to open
     */
    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        try (Upstream upstream = new Upstream();
                Scanner scanner = new Scanner(System.in, StandardCharsets.US_ASCII)) {
            System.out.println("http://127.0.0.1:" + upstream.port() + "/mcp");
            int port = scanner.nextInt();
            long pid = scanner.nextLong();
            Streams streams = new Streams(upstream, port, scanner.next(), new Watched(pid));
            streams.idle(count);
            streams.slow();
        }
    }

    private void idle(int count) throws Exception {
        say("short calls before: %s", calls());
        long residentBefore = weir.residentKib();
        long threadsBefore = weir.threads();
        try (Readers readers = new Readers()) {
            for (int n = 0; n < count; n++) {
                readers.open(port, path);
            }
            await(() -> readers.begun() == count && upstream.streams() == count);
            Thread.sleep(6_000);
            say(
                    "%d streams open; %.1f KB of memory each; threads %d, before %d",
                    count, (weir.residentKib() - residentBefore) / (double) count, weir.threads(), threadsBefore);
            long cpu = weir.cpuMillis();
            Thread.sleep(10_000);
            say("idle: %.1f %% of a core", (weir.cpuMillis() - cpu) / 100.0);
            upstream.tell();
            await(() -> readers.latencies().size() == count);
            List<Double> latencies = readers.latencies();
            say(
                    "one event to each at once: median %.0f ms, 99 %% %.0f ms, last %.0f ms",
                    at(latencies, 0.5), at(latencies, 0.99), at(latencies, 1));
            say("short calls beside: %s", calls());
            say("lost: %d", readers.closed());
            readers.leave();
            long from = System.nanoTime();
            await(() -> upstream.streams() == 0);
            say(
                    "all clients gone: the last stream to the upstream closed after %.1f s",
                    (System.nanoTime() - from) / 1e9);
        }
    }

    /** Clients that read a kibibyte a second each, from an upstream that never stops. */
    private void slow() throws Exception {
        long sentBefore = upstream.sent();
        List<SocketChannel> sockets = new ArrayList<>();
        for (int n = 0; n < SLOW_READERS; n++) {
            sockets.add(Readers.unread(port, path + "/fast"));
        }
        Thread.sleep(2_000);
        long sent = upstream.sent() - sentBefore;
        long resident = weir.residentKib();
        ByteBuffer kibibyte = ByteBuffer.allocate(1_024);
        for (int second = 0; second < SLOW_SECONDS; second++) {
            for (SocketChannel socket : sockets) {
                kibibyte.clear();
                socket.read(kibibyte);
            }
            Thread.sleep(1_000);
        }
        say(
                "%d clients that read 1 KiB/s: %d KiB sent before the first read, %d KiB more in %d s; memory %d KiB, then %d KiB",
                SLOW_READERS,
                sent / 1_024,
                (upstream.sent() - sentBefore - sent) / 1_024,
                SLOW_SECONDS,
                resident,
                weir.residentKib());
        for (SocketChannel socket : sockets) {
            socket.close();
        }
    }

    /** Short calls, one after the other on one connection, for three seconds. */
    private String calls() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest call = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"))
                .build();
        List<Double> took = new ArrayList<>();
        for (long from = System.nanoTime(); System.nanoTime() - from < 3_000_000_000L; ) {
            long began = System.nanoTime();
            HttpResponse<String> answer = client.send(call, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException("a call was answered " + answer.statusCode() + ": " + answer.body());
            }
            took.add((System.nanoTime() - began) / 1e6);
        }
        took.sort(null);
        return String.format("median %.2f ms, 99 %% %.2f ms", at(took, 0.5), at(took, 0.99));
    }

    private static double at(List<Double> sorted, double share) {
        return sorted.get((int) Math.round((sorted.size() - 1) * share));
    }

    private static void await(BooleanSupplier condition) throws Exception {
        long from = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - from > 60_000_000_000L) {
                throw new IOException("nothing happened for a minute");
            }
            Thread.sleep(10);
        }
    }

    private static void say(String format, Object... arguments) {
        System.out.printf(format + "%n", arguments);
    }
}
