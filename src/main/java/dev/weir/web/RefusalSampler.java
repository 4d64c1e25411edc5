package dev.weir.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Says which refusals have a line of their own in the log: the first of a kind, and then none for ten seconds, after which a
 * count stands for all that came since, again and again until none comes. Every refusal is in exactly one line or one count.
 *
 * <p>Safe for use by many threads; who asks never waits.
 */
final class RefusalSampler {

    /**
     * How many refusals of a kind have come since the line before.
     *
     * @param seconds how long ago that was
     */
    record Repeated(Refused kind, long count, double seconds) {}

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int MAX_KINDS = 1_000;

    /** What a count is that nobody may add to any more. */
    private static final long GONE = -1;

    private static final class Count {
        private final AtomicLong since = new AtomicLong();
        private volatile long lineNanos;

        Count(long lineNanos) {
            this.lineNanos = lineNanos;
        }

        /** False if it is gone. */
        boolean add() {
            long before = since.get();
            while (before != GONE && !since.compareAndSet(before, before + 1)) {
                before = since.get();
            }
            return before != GONE;
        }
    }

    private final LongSupplier nanoClock;
    private final Map<Refused, Count> counts = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** @param nanoClock a monotonic clock in nanoseconds */
    RefusalSampler(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Whether a refusal has a line of its own; if not, it has been counted. */
    boolean hasLine(Refused wanted) {
        while (!closed) {
            Refused kind = wanted;
            Count there = counts.get(kind);
            if (there == null && counts.size() >= MAX_KINDS) {
                kind = Refused.OTHERS;
                there = counts.get(kind);
            }
            if (there == null) {
                there = counts.putIfAbsent(kind, new Count(nanoClock.getAsLong()));
            }
            if (there == null) {
                return true;
            }
            if (there.add()) {
                return false;
            }
            // Somebody is just taking it away.
            counts.remove(kind, there);
        }
        return true;
    }

    /** The counts that are due, each of which is to have a line. To be called again and again, by one thread at a time. */
    List<Repeated> due() {
        return take(WINDOW_NANOS);
    }

    /** All counts there are; from now on every refusal has a line of its own. */
    List<Repeated> close() {
        closed = true;
        return take(Long.MIN_VALUE);
    }

    private synchronized List<Repeated> take(long age) {
        List<Repeated> taken = new ArrayList<>();
        long now = nanoClock.getAsLong();
        counts.forEach((kind, count) -> {
            long since = now - count.lineNanos;
            if (since >= age) {
                // Nobody has come since the line before: the next is a first one again.
                boolean over = closed || count.since.compareAndSet(0, GONE);
                long calls = closed ? count.since.getAndSet(GONE) : over ? 0 : count.since.getAndSet(0);
                count.lineNanos = now;
                if (over) {
                    counts.remove(kind, count);
                }
                if (calls > 0) {
                    taken.add(new Repeated(kind, calls, Math.round(since / 1e8) / 10.0));
                }
            }
        });
        return taken;
    }
}
