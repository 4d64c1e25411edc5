package dev.weir.ban;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The strikes of one principal inside the sliding window. Not safe for use by many threads: {@link BanBook} guards it.
 */
final class Strikes {

    /**
     * How long an answer is at least on its way before a call on another connection counts as sent by somebody who has read
     * it. Official clients take turns with two connections and answer within a few milliseconds, so this has to be short.
     */
    static final long READING_NANOS = 200_000;

    private record Strike(long nanos, Ban.Evidence evidence) {}

    private final Deque<Strike> window = new ArrayDeque<>();
    private long number;
    private boolean answered;
    private long answeredNanos;
    private @Nullable String lane;

    /**
     * Whether a call is a strike of its own, and does not belong to the one before.
     *
     * <p>A call on the lane of the strike before was sent after that strike's answer, even if nobody has yet said here that
     * the answer was written.
     */
    boolean isNew(Call call, BanRule.Count count) {
        if (number == 0 || count == BanRule.Count.EVERY) {
            return true;
        }
        boolean sameLane = call.lane() != null && call.lane().equals(lane);
        return sameLane || (answered && call.arrivedNanos() - answeredNanos >= READING_NANOS);
    }

    /** Adds a strike and answers its number, by which its answer is known. */
    long add(Call call, long nanos, Instant now, int threshold) {
        window.addLast(new Strike(nanos, new Ban.Evidence(now, call.route(), call.tool(), call.level())));
        if (window.size() > threshold + 1) {
            window.removeFirst();
        }
        answered = false;
        lane = call.lane();
        return ++number;
    }

    /** Forgets what has slid out of the window, and answers how many strikes are left in it. */
    int inWindow(long nanos, long windowNanos) {
        while (!window.isEmpty() && nanos - window.getFirst().nanos() >= windowNanos) {
            window.removeFirst();
        }
        return window.size();
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

    void forget() {
        window.clear();
    }
}
