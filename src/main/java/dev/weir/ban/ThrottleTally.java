package dev.weir.ban;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts throttled calls by their kind and the second of the wall clock, until somebody takes the counts away. A runaway agent
 * is refused many times a second, and its history is to be one row of that second.
 *
 * <p>Memory is bounded: beyond the greatest number of kinds, calls of further kinds are counted as dropped. Safe for use by many
 * threads: no count is lost or told twice, and nothing blocks for longer than another thread takes to add one.
 */
public final class ThrottleTally {

    private record Slot(long second, ThrottleEvent.Kind kind) {}

    /** Changed inside the map's own atomic updates only, and so final once it has been removed from the map. */
    private static final class Count {
        private long calls;

        private Count increment() {
            calls++;
            return this;
        }
    }

    private final InstantSource clock;
    private final int maxKinds;
    private final ConcurrentMap<Slot, Count> counts = new ConcurrentHashMap<>();
    private final AtomicInteger held = new AtomicInteger();
    private final LongAdder dropped = new LongAdder();

    /**
     * @param maxKinds the most kinds that are held at one time, in the running second and in those not yet taken away; calls
     *                 at the same instant may exceed it by one each
     * @param clock    the wall clock
     */
    public ThrottleTally(int maxKinds, InstantSource clock) {
        this.maxKinds = maxKinds;
        this.clock = clock;
    }

    /** Counts one call. */
    public void count(ThrottleEvent.Kind kind) {
        Slot slot = new Slot(second(), kind);
        if (counts.computeIfPresent(slot, (known, count) -> count.increment()) != null) {
            return;
        }
        if (held.get() >= maxKinds) {
            dropped.increment();
            return;
        }
        counts.compute(slot, (same, count) -> {
            if (count != null) {
                return count.increment();
            }
            held.incrementAndGet();
            return new Count().increment();
        });
    }

    /** Takes away what was counted in all seconds but the running one. */
    public List<ThrottleEvent> takeFinished() {
        return take(second(), false);
    }

    /** Takes away everything, at the end. */
    public List<ThrottleEvent> takeAll() {
        return take(0, true);
    }

    /** The calls that were not counted, because there were too many kinds. */
    public long dropped() {
        return dropped.sum();
    }

    private List<ThrottleEvent> take(long running, boolean all) {
        List<ThrottleEvent> events = new ArrayList<>();
        for (Slot slot : counts.keySet()) {
            Count count = all || slot.second() != running ? counts.remove(slot) : null;
            if (count != null) {
                held.decrementAndGet();
                events.add(new ThrottleEvent(Instant.ofEpochSecond(slot.second()), slot.kind(), count.calls));
            }
        }
        return events;
    }

    private long second() {
        return Math.floorDiv(clock.millis(), 1_000L);
    }
}
