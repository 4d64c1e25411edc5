package dev.weir.limit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;

/**
 * A token bucket that remembers two instants: when it will be full again, and when its cool-down ends.
 *
 * <p>A take moves the first instant later by the time that its tokens need to come back, and is refused if the bucket could
 * not have held them. The {@link Limit} comes with every take, so a changed policy counts from the next take on; time already
 * owed is kept, up to an empty bucket of the new limit.
 *
 * <p><b>Units.</b> Tokens are whole. Times are nanoseconds of one monotonic clock with an arbitrary origin, such as
 * {@link System#nanoTime}. Only differences are used, so the clock may wrap.
 *
 * <p><b>Errors.</b> In any span of time {@code t}, a bucket gives at most {@code capacity + t / interval} tokens, under any
 * number of threads. A refused take succeeds after exactly the wait it was told, and not a nanosecond before, unless another
 * take comes first.
 *
 * <p>Safe for use by many threads. Nothing blocks.
 *
 * @see <a href="https://www.itu.int/rec/T-REC-I.371">ITU-T I.371, generic cell rate algorithm, virtual scheduling form:
 *     the first instant is its theoretical arrival time</a>
 */
final class TokenBucket {

    /*
     * The state is read before the clock. Whoever wrote that state had read the clock earlier still, so an instant further
     * off than a whole filling can only come from a larger limit, and may be cut back. With the clock read first, a thread
     * that was paused in between would cut back a bucket that others had just emptied, and so give its tokens out twice.
     */

    /** What {@link #take} answers when the bucket has been dropped from its account, and a new one has to be found. */
    static final long RETIRED = -1;

    /** What {@link #take} answers when the tokens were taken; every other answer that is not {@link #RETIRED} is a wait. */
    static final long TAKEN = 0;

    /*
     * The one instant that stands for "retired". A live bucket that would come to it is put a nanosecond later.
     */
    private static final long GRAVE = Long.MIN_VALUE;

    private static final VarHandle FULL_AT;
    private static final VarHandle SHUT_UNTIL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            FULL_AT = lookup.findVarHandle(TokenBucket.class, "fullAt", long.class);
            SHUT_UNTIL = lookup.findVarHandle(TokenBucket.class, "shutUntil", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final BucketName name;
    private volatile long fullAt;
    private volatile long shutUntil;

    /** A bucket that will be full in {@code fullNanos} and is shut for {@code shutNanos}; zeros for a new one. */
    TokenBucket(BucketName name, long fullNanos, long shutNanos, LongSupplier nanoClock) {
        this.name = name;
        long now = nanoClock.getAsLong();
        this.fullAt = alive(now + fullNanos);
        this.shutUntil = now + shutNanos;
    }

    BucketName name() {
        return name;
    }

    /**
     * Takes {@code cost} tokens, or none.
     *
     * @return {@link #TAKEN}, {@link #RETIRED}, or the nanoseconds after which the bucket would hold the tokens
     */
    long take(long cost, Limit limit, LongSupplier nanoClock) {
        long fill = limit.fillNanos();
        long need = cost * limit.intervalNanos();
        while (true) {
            long seen = fullAt;
            if (seen == GRAVE) {
                return RETIRED;
            }
            long now = nanoClock.getAsLong();
            long owed = owed(seen, now, fill);
            if (owed + need > fill) {
                // Nothing is written: a refused take leaves no trace, and what a smaller limit cuts off stays cut off.
                return owed + need - fill;
            }
            if (FULL_AT.compareAndSet(this, seen, alive(now + owed + need))) {
                return TAKEN;
            }
        }
    }

    /** Gives back what a take under the same limit has taken. */
    void giveBack(long cost, Limit limit) {
        long need = cost * limit.intervalNanos();
        while (true) {
            long seen = fullAt;
            if (seen == GRAVE || FULL_AT.compareAndSet(this, seen, alive(seen - need))) {
                return;
            }
        }
    }

    /** The time until the bucket would hold {@code cost} tokens; zero if it does. */
    long waitNanos(long cost, Limit limit, LongSupplier nanoClock) {
        long seen = fullAt;
        long fill = limit.fillNanos();
        long need = cost * limit.intervalNanos();
        return seen == GRAVE ? 0 : Math.max(0, owed(seen, nanoClock.getAsLong(), fill) + need - fill);
    }

    /** The time until the bucket is full under a limit; zero if it is, when a new one would do as well. */
    long fullNanos(Limit limit, LongSupplier nanoClock) {
        long seen = fullAt;
        return seen == GRAVE ? 0 : owed(seen, nanoClock.getAsLong(), limit.fillNanos());
    }

    /** The time until the bucket is full under the limit it was last counted against. */
    long fullNanos(LongSupplier nanoClock) {
        long seen = fullAt;
        return seen == GRAVE ? 0 : Math.max(0, seen - nanoClock.getAsLong());
    }

    /** The time until the cool-down ends, at most {@code cooldownNanos}; zero if the bucket is not cooling down. */
    long shutNanos(long cooldownNanos, LongSupplier nanoClock) {
        long seen = shutUntil;
        return Math.max(0, Math.min(seen - nanoClock.getAsLong(), cooldownNanos));
    }

    /** Begins a cool-down, unless one is under way, whose end is never moved. Answers the time until the cool-down ends. */
    long shut(long cooldownNanos, LongSupplier nanoClock) {
        while (true) {
            long seen = shutUntil;
            long now = nanoClock.getAsLong();
            if (seen - now > 0) {
                return Math.min(seen - now, cooldownNanos);
            }
            if (SHUT_UNTIL.compareAndSet(this, seen, now + cooldownNanos)) {
                return cooldownNanos;
            }
        }
    }

    /** Retires the bucket if a new one would do as well: full, and not cooling down. */
    boolean retire(LongSupplier nanoClock) {
        long seen = fullAt;
        long now = nanoClock.getAsLong();
        boolean asNew = seen == GRAVE || (seen - now <= 0 && shutUntil - now <= 0);
        return asNew && (seen == GRAVE || FULL_AT.compareAndSet(this, seen, GRAVE));
    }

    private static long owed(long fullAt, long now, long fill) {
        return Math.max(0, Math.min(fullAt - now, fill));
    }

    private static long alive(long instant) {
        return instant == GRAVE ? GRAVE + 1 : instant;
    }
}
