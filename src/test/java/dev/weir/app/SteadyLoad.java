package dev.weir.app;

import dev.weir.wire.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Requests at a steady rate, each on time however long others take, and timed from the instant at which it was due. */
final class SteadyLoad implements AutoCloseable {

    /** What is sent, one request after the other, and what has to be in each answer. */
    record Kind(String name, IntFunction<String> request, String expected) {}

    private record Answered(String kind, long dueNanos, long tookNanos) {}

    private final int port;
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<Answered> answers = new ConcurrentLinkedQueue<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    SteadyLoad(RunningWeir weir) {
        port = weir.port();
    }

    /** Begins to send: on so many connections, one request a period on each, as many as there are in all. */
    void send(Kind kind, int connections, long periodMillis, int most) throws IOException {
        long start = System.nanoTime();
        long period = TimeUnit.MILLISECONDS.toNanos(periodMillis);
        for (int i = 0; i < connections; i++) {
            int first = i;
            Wire wire = new Wire(port);
            Thread thread = new Thread(() -> send(kind, wire, first, connections, start, period, most), "load");
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    private void send(Kind kind, Wire wire, int first, int step, long start, long period, int most) {
        try (wire) {
            for (int i = first; i < most && !stopped; i += step) {
                long due = start + (long) ((double) i / step * period);
                while (System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                wire.send(kind.request().apply(i));
                String answer = wire.answer().body();
                answers.add(new Answered(kind.name(), due, System.nanoTime() - due));
                if (!answer.contains(kind.expected())) {
                    failures.add(kind.name() + " " + i + ": " + answer);
                }
            }
        } catch (IOException e) {
            failures.add(kind.name() + ": " + e);
        }
    }

    /** How many of a kind have been answered. */
    int answered(String kind) {
        return (int)
                answers.stream().filter(answer -> answer.kind().equals(kind)).count();
    }

    /** A percentile of a kind, of those due in a span of time, in milliseconds. */
    long percentile(int percent, String kind, long fromNanos, long toNanos) {
        long[] took = answers.stream()
                .filter(answer -> answer.kind().equals(kind))
                .filter(answer -> answer.dueNanos() - fromNanos >= 0 && answer.dueNanos() - toNanos < 0)
                .mapToLong(Answered::tookNanos)
                .sorted()
                .toArray();
        return TimeUnit.NANOSECONDS.toMillis(took[(int) Math.ceil(took.length * percent / 100.0) - 1]);
    }

    /** What was answered otherwise than it should, or not at all; null if there is nothing. */
    @Nullable
    String failure() {
        return failures.peek();
    }

    /** Sends no more, and waits for the answers. */
    void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Override
    public void close() {
        stopped = true;
    }
}
