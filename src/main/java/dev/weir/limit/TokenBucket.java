package dev.weir.limit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A token bucket that remembers when it will be full again, and under which limit.
 *
 * <p>A take moves the instant of fullness later by the time that its tokens need to come back, and is refused if the bucket
 * could not have held them. The {@link Limit} comes with every take. A bucket that was counted against another one before is
 * converted first: it keeps the tokens that it has, cut to the new capacity, so that no change of a limit is a refill.
 *
 * <p>This one is never shut, and lets any number of calls be in flight; {@link ToolBucket} counts both.
 *
 * <p><b>Units.</b> Tokens are whole. Times are nanoseconds of one monotonic clock with an arbitrary origin, such as
 * {@link System#nanoTime}. Only differences are used, so the clock may wrap. A caller may read the clock before it looks at
 * several buckets: an instant that has grown old makes a bucket seem emptier than it is, never fuller.
 *
 * <p><b>Errors.</b> In any span of time {@code t}, a bucket gives at most {@code capacity + t / interval} tokens, under any
 * number of threads. A refused take succeeds after exactly the wait it was told, and not a nanosecond before, unless another
 * take comes first.
 *
 * <p>Safe for use by many threads. A take holds no lock, but where the limit has changed.
 *
 * @see <a href="https://www.itu.int/rec/T-REC-I.371">ITU-T I.371, generic cell rate algorithm, virtual scheduling form:
 *     the instant of fullness is its theoretical arrival time</a>
 */
@SuppressWarnings(
        "ReferenceEquality") // The same limit is nearly always the same object; a conversion compares by value.
class TokenBucket {

    /** What {@link #take} answers when the bucket has been dropped from its account, and a new one has to be found. */
    static final long RETIRED = Long.MIN_VALUE;

    /*
     * The instants that stand for "retired" and for "being converted". A live bucket that would come to one of them is put a
     * nanosecond or two later.
     */
    private static final long GRAVE = Long.MIN_VALUE;
    private static final long CONVERTING = Long.MIN_VALUE + 1;

    private static final VarHandle FULL_AT;

    static {
        try {
            FULL_AT = MethodHandles.lookup().findVarHandle(TokenBucket.class, "fullAt", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final BucketName name;
    private volatile Limit limit;
    private volatile long fullAt;

    /** A bucket that owes time under a limit; zero for a new one, which is full. */
    TokenBucket(BucketName name, Limit limit, long owedNanos, long now) {
        this.name = name;
        this.limit = limit;
        this.fullAt = alive(now + owedNanos);
    }

    /** A bucket that also is shut for a time, if its level knows that. */
    static TokenBucket of(BucketName name, Limit limit, long owedNanos, long shutNanos, long now) {
        return name.level().ofOneTool()
                ? new ToolBucket(name, limit, owedNanos, shutNanos, now)
                : new TokenBucket(name, limit, owedNanos, now);
    }

    /** A bucket that has no more than this one, for somebody who has been counted here so far. */
    final TokenBucket copy(long now) {
        return of(name, limit, owedNanos(now), shutNanos(Long.MAX_VALUE, now), now);
    }

    BucketName name() {
        return name;
    }

    /** The limit that it was last counted against. */
    Limit limit() {
        return limit;
    }

    /**
     * Takes {@code cost} tokens, or none. Tokens that will be there within {@code maxWaitNanos} are promised: they are taken at
     * once, and so are out of reach for whoever comes later.
     *
     * @param under   no limit that blocks
     * @return {@link #RETIRED}; or, not below zero, the nanoseconds after which the tokens that were taken are there; or,
     *     negated, the nanoseconds after which the bucket would hold the tokens that were not taken
     */
    long take(long cost, Limit under, long maxWaitNanos, long now) {
        long fill = under.fillNanos();
        long need = cost * under.intervalNanos();
        while (true) {
            long seen = fullAt;
            if (seen == GRAVE) {
                return RETIRED;
            }
            if (limit != under || seen == CONVERTING) {
                convert(under, now);
                continue;
            }
            long owed = Math.max(0, seen - now);
            long wait = Math.max(0, owed + need - fill);
            if (wait > maxWaitNanos) {
                return -wait;
            }
            if (FULL_AT.compareAndSet(this, seen, alive(now + owed + need))) {
                return wait;
            }
        }
    }

    /** Gives tokens back that were taken. */
    void giveBack(long cost) {
        while (true) {
            long seen = fullAt;
            Limit under = limit;
            if (seen == GRAVE) {
                return;
            }
            if (seen == CONVERTING) {
                settle();
            } else if (FULL_AT.compareAndSet(this, seen, alive(seen - cost * under.intervalNanos()))) {
                return;
            }
        }
    }

    /** Sees to it that the bucket is full no sooner than another, and shut no shorter. */
    void oweAsMuchAs(TokenBucket other, long now) {
        long owed = other.owedNanos(now);
        while (true) {
            long seen = fullAt;
            if (seen == CONVERTING) {
                settle();
            } else if (seen == GRAVE || seen - now >= owed || FULL_AT.compareAndSet(this, seen, alive(now + owed))) {
                return;
            }
        }
    }

    /** The time until the bucket would hold {@code cost} tokens; zero if it does. */
    long waitNanos(long cost, Limit under, long now) {
        while (true) {
            long seen = fullAt;
            if (seen == GRAVE) {
                return 0;
            }
            if (limit == under && seen != CONVERTING) {
                return Math.max(0, Math.max(0, seen - now) + cost * under.intervalNanos() - under.fillNanos());
            }
            convert(under, now);
        }
    }

    /** The time until the bucket is full under the limit it was last counted against; zero if it is. */
    long owedNanos(long now) {
        long seen = fullAt;
        while (seen == CONVERTING) {
            settle();
            seen = fullAt;
        }
        return seen == GRAVE ? 0 : Math.max(0, seen - now);
    }

    /** The time until the bucket would be full if it were counted against another limit; changes nothing. */
    final long owedNanos(Limit under, long now) {
        while (true) {
            long seen = fullAt;
            Limit counted = limit;
            if (seen == GRAVE) {
                return 0;
            }
            if (seen == CONVERTING) {
                settle();
            } else if (seen == fullAt) {
                long owed = Math.max(0, seen - now);
                return counted.equals(under) ? owed : Math.max(0, under.owedWith(counted, owed));
            }
        }
    }

    /** The calls in flight that it has let in, where it counts them. */
    int inFlight() {
        return 0;
    }

    /** The time until the cool-down ends, at most {@code cooldownNanos}; zero if the bucket is not cooling down. */
    long shutNanos(long cooldownNanos, long now) {
        return 0;
    }

    /** Begins a cool-down, unless one is under way, whose end is never moved. Answers the time until the cool-down ends. */
    long shut(long cooldownNanos, long now) {
        return 0;
    }

    /** Whether so many calls more may be in flight. */
    boolean hasSlots(int calls, int most) {
        return true;
    }

    /** Counts so many calls more in flight, or answers false with nothing counted if those are too many. */
    boolean enter(int calls, int most) {
        return true;
    }

    /** Counts so many calls less in flight. */
    void leave(int calls) {}

    /** Whether a full bucket is as good as a new one. */
    boolean isIdle(long now) {
        return true;
    }

    /** Retires the bucket if a new one would do as well. */
    final boolean retire(long now) {
        long seen = fullAt;
        if (seen == GRAVE) {
            return true;
        }
        boolean asNew = seen != CONVERTING && seen - now <= 0 && isIdle(now);
        return asNew && FULL_AT.compareAndSet(this, seen, GRAVE);
    }

    /**
     * Counts the bucket against another limit from now on. Whoever takes reads the instant first and the limit after it, and
     * a conversion always changes the instant: so nobody can count under one limit what was read under the other.
     */
    private synchronized void convert(Limit next, long now) {
        while (limit != next) {
            long seen = fullAt;
            if (seen == GRAVE) {
                return;
            }
            if (limit.equals(next)) {
                limit = next;
            } else if (FULL_AT.compareAndSet(this, seen, CONVERTING)) {
                long owed = next.owedWith(limit, Math.max(0, seen - now));
                limit = next;
                fullAt = converted(seen, now, owed);
            }
        }
    }

    /** An instant other than the one seen. A bucket that was full and stays full is as full at any earlier one. */
    private static long converted(long seen, long now, long owed) {
        if (owed == 0 && seen - now <= 0) {
            return alive(seen - 1);
        }
        return now + owed == seen ? alive(seen + 1) : alive(now + owed);
    }

    /** Returns when no conversion is under way; the lock is held for a few instructions only. */
    private synchronized void settle() {
        assert fullAt != CONVERTING;
    }

    private static long alive(long instant) {
        return instant == GRAVE || instant == CONVERTING ? CONVERTING + 1 : instant;
    }
}
