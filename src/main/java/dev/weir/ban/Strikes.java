package dev.weir.ban;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The strikes of one principal inside the sliding window, and what is known of the answer to the latest. Not safe for use by
 * many threads: {@link BanBook} guards it.
 */
final class Strikes {

    /**
     * How long the answer to a strike is held back. Calls that were fired off together arrive within this time, and so before
     * any of them was answered.
     */
    static final long HOLD_NANOS = 50_000_000;

    /** How long after it began a strike counts as answered, even if nobody has said so: its caller must have left. */
    static final long ANSWERED_AFTER_NANOS = 1_000_000_000;

    /** The most answers to one strike that are held back. */
    static final int MAX_HELD = 256;

    private record Strike(long nanos, Ban.Evidence evidence) {}

    private final Deque<Strike> window = new ArrayDeque<>(6);
    private long number;
    private long begunNanos;
    private int throttles;
    private boolean answered;
    private long answeredNanos;
    private boolean retired;

    /** Whether a call is a strike of its own: whether its caller could have read the answer to the strike before. */
    boolean isNew(long arrivedNanos, BanRule.Count count) {
        if (number == 0 || count == BanRule.Count.EVERY) {
            return true;
        }
        return answered ? arrivedNanos - answeredNanos > 0 : arrivedNanos - begunNanos >= ANSWERED_AFTER_NANOS;
    }

    /** Adds a strike. */
    void add(Call call, long nanos, Instant now, int threshold) {
        window.addLast(new Strike(
                nanos,
                new Ban.Evidence(
                        now,
                        call.route(),
                        call.tool(),
                        call.level(),
                        call.arguments().get())));
        if (window.size() > threshold + 1) {
            window.removeFirst();
        }
        number++;
        begunNanos = nanos;
        throttles = 0;
        answered = false;
    }

    /** Adds a throttle to the latest strike; false if there are so many that its answer is not worth holding back. */
    boolean join() {
        return ++throttles <= MAX_HELD;
    }

    /** How much longer the answer to the latest strike is to be held back. */
    long holdNanos(long nanos) {
        return answered ? 0 : Math.max(0, HOLD_NANOS - (nanos - begunNanos));
    }

    /** Forgets what has slid out of the window, and answers how many strikes are left in it. */
    int inWindow(long nanos, long windowNanos) {
        while (!window.isEmpty() && nanos - window.getFirst().nanos() >= windowNanos) {
            window.removeFirst();
        }
        return window.size();
    }

    /** How many strikes are inside the window; forgets none. */
    int within(long nanos, long windowNanos) {
        return (int) window.stream()
                .filter(strike -> nanos - strike.nanos() < windowNanos)
                .count();
    }

    /** The number of the latest strike. */
    long latest() {
        return number;
    }

    /** Says that the answer to a strike is being written. */
    void answered(long strike, long nanos) {
        if (strike == number && !answered) {
            answered = true;
            answeredNanos = nanos;
        }
    }

    List<Ban.Evidence> evidence() {
        List<Ban.Evidence> all = new ArrayList<>(window.size());
        window.forEach(strike -> all.add(strike.evidence()));
        return all;
    }

    /** Says that this is of no account any more, and that its principal begins anew. */
    void retire() {
        retired = true;
    }

    boolean isRetired() {
        return retired;
    }
}
