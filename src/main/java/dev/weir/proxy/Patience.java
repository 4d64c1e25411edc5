package dev.weir.proxy;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long one exchange has stood still, and how long it may. Bytes may move by any thread; the questions are asked by one thread
 * at a time.
 */
final class Patience {

    /** How long a client may go on sending what nobody wants, once it has its answer. */
    private static final Duration LINGER = Duration.ofSeconds(10);

    private static final Duration FRESH = Duration.ofSeconds(1);

    private final Limits limits;
    private final long commentNanos;
    private final LongSupplier nanoClock;
    private final long startedAt;
    private volatile long movedAt;
    private long commentedAt;

    Patience(Limits limits, long commentNanos, LongSupplier nanoClock) {
        this.limits = limits;
        this.commentNanos = commentNanos;
        this.nanoClock = nanoClock;
        this.startedAt = nanoClock.getAsLong();
        this.movedAt = startedAt;
        this.commentedAt = startedAt;
    }

    /** Whether it began so short a time ago that a connection which is found closed now had been so before. */
    boolean isFresh() {
        return nanoClock.getAsLong() - startedAt < FRESH.toNanos();
    }

    /** Something has moved, whoever was waited for. */
    void moved() {
        movedAt = nanoClock.getAsLong();
    }

    /**
     * The limit that is over because nothing has moved; null if none is.
     *
     * @param awaited whether the request is with the upstream and the head of its answer is not here
     */
    @Nullable
    Duration standstill(long now, boolean awaited) {
        Duration limit = awaited ? limits.firstByte() : limits.idle();
        return now - movedAt > limit.toNanos() ? limit : null;
    }

    /** The limit that is over because of the time since the start, whatever has moved; null if none is. */
    @Nullable
    Duration total(long now) {
        Duration total = limits.total();
        return total != null && now - startedAt > total.toNanos() ? total : null;
    }

    /** Whether a client that has its answer has been sending for too long, or not at all. */
    boolean isUploadOver(long now, boolean wanted) {
        return now - movedAt > (wanted ? limits.idle() : LINGER).toNanos();
    }

    /** Whether it has been silent for so long that the client is to get a sign of life; true once for each time. */
    boolean isCommentDue(long now) {
        boolean due = Math.min(now - movedAt, now - commentedAt) > commentNanos;
        if (due) {
            commentedAt = now;
        }
        return due;
    }
}
