package dev.weir.proxy;

import dev.weir.upstream.Limits;
import java.time.Duration;

/** When one exchange began and last moved, and what its limits of time say of that. Safe for use by many threads. */
final class Pace {

    private final Limits limits;
    private final long startedAt;
    private volatile long movedAt;
    private volatile long commentedAt;

    /** @param now on the monotonic clock, in nanoseconds, as all times here are */
    Pace(Limits limits, long now) {
        this.limits = limits;
        this.startedAt = now;
        this.movedAt = now;
        this.commentedAt = now;
    }

    void moved(long now) {
        movedAt = now;
    }

    /** How long nothing has moved. */
    long still(long now) {
        return now - movedAt;
    }

    /** How long it has been under way. */
    long age(long now) {
        return now - startedAt;
    }

    /** How long nothing may move. */
    long limit(boolean waitsForHead) {
        return (waitsForHead ? limits.firstByte() : limits.idle()).toNanos();
    }

    /** Whether it takes longer than it may in all. */
    boolean isTooLong(long now) {
        Duration total = limits.total();
        return total != null && age(now) > total.toNanos();
    }

    /** Whether a comment is due after so long a silence, and none has been sent; if so, it has been now. */
    boolean takeComment(long now, long after) {
        if (Math.min(still(now), now - commentedAt) <= after) {
            return false;
        }
        commentedAt = now;
        return true;
    }
}
