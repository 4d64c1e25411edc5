package dev.weir.bench.seeing;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Some connections that each send one call after the other for a while, as agents do that wait for their answers. */
final class Load {

    private static final String BODY =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"q\":\"a b c\"}}}";

    private static final byte[] REQUEST = ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Accept: application/json, text/event-stream\r\nUser-Agent: bench\r\nContent-Length: "
                    + BODY.length()
                    + "\r\n\r\n" + BODY)
            .getBytes(StandardCharsets.US_ASCII);

    /**
     * What came of it.
     *
     * @param calls  how many were answered
     * @param time   how long it went on
     * @param median the time that half of the calls took at most
     * @param p99    the time that all but a hundredth took at most
     */
    record Result(int calls, Duration time, Duration median, Duration p99) {}

    private Load() {}

    static Result run(int port, int connections, Duration time)
            throws IOException, InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        try {
            long began = System.nanoTime();
            List<Future<List<Long>>> running = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                running.add(threads.submit(() -> agent(port, began + time.toNanos())));
            }
            List<Long> all = new ArrayList<>();
            for (Future<List<Long>> agent : running) {
                all.addAll(agent.get());
            }
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            long[] sorted = all.stream().mapToLong(Long::longValue).sorted().toArray();
            return new Result(sorted.length, took, quantile(sorted, 0.5), quantile(sorted, 0.99));
        } finally {
            threads.shutdownNow();
        }
    }

    private static Duration quantile(long[] sorted, double part) {
        return Duration.ofNanos(sorted[Math.min(sorted.length - 1, (int) (sorted.length * part))]);
    }

    private static List<Long> agent(int port, long until) throws IOException {
        List<Long> times = new ArrayList<>();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            for (long began = System.nanoTime(); began < until; began = System.nanoTime()) {
                socket.getOutputStream().write(REQUEST);
                answer(in);
                times.add(System.nanoTime() - began);
            }
        }
        return times;
    }

    private static void answer(InputStream in) throws IOException {
        String status = line(in);
        int length = -1;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
                length = Integer.parseInt(line.substring(15).strip());
            }
        }
        if (!status.contains(" 200") || length < 0) {
            throw new IOException("not what was asked for: " + status);
        }
        in.skipNBytes(length);
    }

    private static String line(InputStream in) throws IOException {
        byte[] line = new byte[512];
        int length = 0;
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the connection has ended");
            }
            if (next != '\r' && length < line.length) {
                line[length++] = (byte) next;
            }
        }
        return new String(Arrays.copyOf(line, length), StandardCharsets.ISO_8859_1);
    }
}
