package dev.weir.limit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The bucket of one tool, which also knows when its cool-down ends, and how many of the calls that it let in are in flight. A
 * class of its own because most other buckets need neither, and there may be millions. Safe for use by many threads.
 */
final class ToolBucket extends TokenBucket {

    private static final VarHandle SHUT_UNTIL;
    private static final VarHandle IN_FLIGHT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SHUT_UNTIL = lookup.findVarHandle(ToolBucket.class, "shutUntil", long.class);
            IN_FLIGHT = lookup.findVarHandle(ToolBucket.class, "inFlight", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int inFlight;
    private volatile long shutUntil;

    /** A bucket that owes time under a limit and is shut for a time; zeros for a new one, which is full. */
    ToolBucket(BucketName name, Limit limit, long owedNanos, long shutNanos, long now) {
        super(name, limit, owedNanos, now);
        this.shutUntil = now + shutNanos;
    }

    @Override
    long shutNanos(long cooldownNanos, long now) {
        return Math.max(0, Math.min(shutUntil - now, cooldownNanos));
    }

    @Override
    long shut(long cooldownNanos, long now) {
        long seen = shutUntil;
        if (seen - now <= 0) {
            // Whoever comes too late for this finds a cool-down that somebody else has begun.
            SHUT_UNTIL.compareAndSet(this, seen, now + cooldownNanos);
        }
        return shutNanos(cooldownNanos, now);
    }

    @Override
    void oweAsMuchAs(TokenBucket other, long now) {
        super.oweAsMuchAs(other, now);
        long end = now + other.shutNanos(Long.MAX_VALUE, now);
        for (long seen = shutUntil; seen - end < 0; seen = shutUntil) {
            SHUT_UNTIL.compareAndSet(this, seen, end);
        }
    }

    @Override
    int inFlight() {
        return inFlight;
    }

    @Override
    boolean hasSlots(int calls, int most) {
        return inFlight <= most - calls;
    }

    @Override
    boolean enter(int calls, int most) {
        while (true) {
            int seen = inFlight;
            if (seen > most - calls) {
                return false;
            }
            if (IN_FLIGHT.compareAndSet(this, seen, seen + calls)) {
                return true;
            }
        }
    }

    @Override
    void leave(int calls) {
        IN_FLIGHT.getAndAdd(this, -calls);
    }

    @Override
    boolean isIdle(long now) {
        return shutUntil - now <= 0 && inFlight == 0;
    }
}
