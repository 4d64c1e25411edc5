package dev.weir.admin;

import dev.weir.gate.Crowd;
import dev.weir.gate.Decisions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How many calls a second this node decides on, and how: kept for the last five minutes. Who calls what is counted only while
 * somebody watches. Safe for use by many threads.
 */
public final class Pulse {

    /** The seconds that are kept. */
    static final int SECONDS = 300;

    /** How many principals and how many tools are told of. */
    static final int TOP = 10;

    private static final long SPAN_NANOS = 1_000_000_000;

    /** What was decided from the start until a moment. */
    private record Totals(long nanos, long admitted, long throttled, long banned, long forbidden) {

        long requests() {
            return admitted + throttled + banned + forbidden;
        }
    }

    /** What was decided in one second. */
    record Second(Instant at, long requests, long admitted, long throttled, long banned) {}

    /** A crowd, and when it was the one that calls were counted in. */
    private record Counted(long beganNanos, Crowd crowd) {}

    private final Decisions decisions;
    private final InstantSource clock;
    private final LongSupplier nanoClock;

    // All below is guarded by this object.
    private final Deque<Totals> recent = new ArrayDeque<>();
    private final Deque<Second> seconds = new ArrayDeque<>();
    private final Deque<Counted> crowds = new ArrayDeque<>();
    private Totals atSecond;
    private long second;

    /**
     * @param clock     the wall clock
     * @param nanoClock a monotonic clock in nanoseconds
     */
    public Pulse(Decisions decisions, InstantSource clock, LongSupplier nanoClock) {
        this.decisions = decisions;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.atSecond = totals();
        this.second = second();
        recent.add(atSecond);
    }

    /**
     * Feels the pulse: to be called several times a second.
     *
     * @param watched whether anybody wants to know who calls what
     */
    public synchronized void feel(boolean watched) {
        Totals now = totals();
        recent.addLast(now);
        // The latest that is as old as the span, and all younger ones.
        while (recent.size() > 2 && now.nanos() - next(recent).nanos() >= SPAN_NANOS) {
            recent.removeFirst();
        }
        keepSeconds(now);
        if (watched) {
            Crowd next = new Crowd();
            decisions.watch(next);
            crowds.addLast(new Counted(now.nanos(), next));
            while (crowds.size() > 2 && now.nanos() - next(crowds).beganNanos() >= SPAN_NANOS) {
                crowds.removeFirst();
            }
        } else if (!crowds.isEmpty()) {
            decisions.watch(null);
            crowds.clear();
        }
    }

    /** The second of at least two. */
    private static <T> T next(Deque<T> all) {
        Iterator<T> each = all.iterator();
        each.next();
        return each.next();
    }

    private void keepSeconds(Totals now) {
        long current = second();
        if (current <= second) {
            return;
        }
        add(new Second(
                Instant.ofEpochSecond(second),
                now.requests() - atSecond.requests(),
                now.admitted() - atSecond.admitted(),
                now.throttled() - atSecond.throttled(),
                now.banned() - atSecond.banned()));
        for (long missed = Math.max(second + 1, current - SECONDS); missed < current; missed++) {
            add(new Second(Instant.ofEpochSecond(missed), 0, 0, 0, 0));
        }
        second = current;
        atSecond = now;
    }

    private void add(Second one) {
        seconds.addLast(one);
        if (seconds.size() > SECONDS) {
            seconds.removeFirst();
        }
    }

    /** The seconds that are over, the oldest first. */
    synchronized List<Second> past() {
        return List.copyOf(seconds);
    }

    /** What this node is at. */
    public synchronized Sample sample(Node node) {
        Totals first = recent.getFirst();
        Totals last = recent.getLast();
        double span = Math.max(last.nanos() - first.nanos(), 1) / (double) SPAN_NANOS;
        return new Sample(
                rate(last.requests() - first.requests(), span),
                rate(last.admitted() - first.admitted(), span),
                rate(last.throttled() - first.throttled(), span),
                rate(last.banned() - first.banned(), span),
                rate(last.forbidden() - first.forbidden(), span),
                node.exchanges(),
                node.bansActive(),
                node.isPolicyOk(),
                node.isDatabaseUp(),
                principals(),
                tools(),
                node.breakers().stream()
                        .filter(circuit -> !circuit.isClosed())
                        .limit(TOP)
                        .toList());
    }

    private List<Sample.OfPrincipal> principals() {
        Map<String, long[]> sums = new HashMap<>();
        for (Counted each : crowds) {
            for (Crowd.OfPrincipal one : each.crowd().principals()) {
                add(sums, one.principal(), one.calls(), one.throttled());
            }
        }
        double span = crowdSpan();
        List<Sample.OfPrincipal> all = new ArrayList<>();
        sums.forEach(
                (principal, sum) -> all.add(new Sample.OfPrincipal(principal, rate(sum[0], span), rate(sum[1], span))));
        all.sort(Comparator.comparingDouble(Sample.OfPrincipal::calls).reversed());
        return all.stream().limit(TOP).toList();
    }

    private List<Sample.OfTool> tools() {
        Map<List<String>, long[]> sums = new HashMap<>();
        for (Counted each : crowds) {
            for (Crowd.OfTool one : each.crowd().tools()) {
                add(sums, List.of(one.route(), one.tool()), one.calls(), one.throttled(), one.banned());
            }
        }
        double span = crowdSpan();
        List<Sample.OfTool> all = new ArrayList<>();
        sums.forEach((tool, sum) -> all.add(new Sample.OfTool(
                tool.get(0), tool.get(1), rate(sum[0], span), rate(sum[1], span), rate(sum[2], span))));
        all.sort(Comparator.comparingDouble(Sample.OfTool::calls).reversed());
        return all.stream().limit(TOP).toList();
    }

    private static <K> void add(Map<K, long[]> sums, K key, long... counts) {
        long[] sum = sums.computeIfAbsent(key, first -> new long[counts.length]);
        for (int i = 0; i < counts.length; i++) {
            sum[i] += counts[i];
        }
    }

    /** At least a second, so that what was counted for a moment does not look like a storm. */
    private double crowdSpan() {
        Counted first = crowds.peekFirst();
        long nanos = first == null ? 0 : nanoClock.getAsLong() - first.beganNanos();
        return Math.max(nanos, SPAN_NANOS) / (double) SPAN_NANOS;
    }

    private static double rate(long calls, double span) {
        return Math.round(10 * calls / span) / 10.0;
    }

    private Totals totals() {
        return new Totals(
                nanoClock.getAsLong(),
                decisions.admitted(),
                decisions.allThrottled(),
                decisions.shut(),
                decisions.forbidden());
    }

    private long second() {
        return Math.floorDiv(clock.millis(), 1_000L);
    }
}
