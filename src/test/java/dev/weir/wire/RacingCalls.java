package dev.weir.wire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A great many calls with ids and contents of their own, several at once on each connection, whose answers race the gateway's limit of
 * time: each is to be answered once, in its turn, by its own answer or by an error with its own id.
 */
public final class RacingCalls {

    /**
     * What came of the calls.
     *
     * @param answered how many got their own answer
     * @param timedOut how many got an error with their own id
     * @param wrong    everything else
     */
    public record Outcome(int answered, int timedOut, List<String> wrong) {}

    /** How many requests are sent at once, before the first of them is answered. */
    private static final int PIPELINED = 5;

    private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");

    private final AtomicInteger ids = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger timedOut = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

    private RacingCalls() {}

    /** A server that takes about as long as the limit is. */
    public static StubUpstream upstream(long limitMillis) throws IOException {
        return new StubUpstream((request, line) -> {
            Matcher id = ID.matcher(request.body());
            String own = id.find() ? id.group(1) : "none";
            LockSupport.parkNanos(
                    ThreadLocalRandom.current().nextLong(limitMillis / 2 * 1_000_000, limitMillis * 1_500_000));
            line.json(200, answer(own));
        });
    }

    private static String answer(String id) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"own\":\"" + id + "\"}}";
    }

    /** Makes at least so many calls. */
    public static Outcome run(int port, int calls, int connections) throws Exception {
        RacingCalls racing = new RacingCalls();
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        try {
            List<Future<?>> clients = new ArrayList<>();
            for (int n = 0; n < connections; n++) {
                clients.add(threads.submit(() -> {
                    try (Wire wire = new Wire(port)) {
                        while (racing.ids.get() < calls) {
                            racing.round(wire);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> client : clients) {
                client.get();
            }
        } finally {
            threads.shutdownNow();
        }
        return new Outcome(racing.answered.get(), racing.timedOut.get(), List.copyOf(racing.wrong));
    }

    private void round(Wire wire) throws IOException {
        int first = ids.getAndAdd(PIPELINED);
        StringBuilder requests = new StringBuilder();
        for (int id = first; id < first + PIPELINED; id++) {
            String body = "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/list\"}";
            requests.append(
                            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ")
                    .append(body.length())
                    .append("\r\n\r\n")
                    .append(body);
        }
        wire.send(requests.toString());
        for (int id = first; id < first + PIPELINED; id++) {
            check(String.valueOf(id), wire.answer());
        }
    }

    private void check(String id, Wire.Answer answer) {
        if (answer.status() == 200 && answer.body().equals(answer(id))) {
            answered.incrementAndGet();
        } else if (answer.status() == 504
                && answer.body().contains("\"id\":" + id + ",")
                && answer.body().contains("\"code\":504")) {
            timedOut.incrementAndGet();
        } else {
            wrong.add(id + " got " + answer);
        }
    }
}
