package dev.weir.limit;

import java.math.BigInteger;
import java.util.Objects;

/**
 * How many tokens a bucket holds, and how long one token takes to come back. A limit of rate zero gives nothing, ever.
 *
 * <p>Immutable, and so safe for use by many threads.
 */
public final class Limit {

    /** The highest rate, in tokens a second, that whole nanoseconds still tell apart from its neighbours. */
    public static final double MAX_RATE = 1_000_000;

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long LONGEST_FILL_NANOS = Long.MAX_VALUE / 4;

    private final double ratePerSecond;
    private final long capacity;
    private final long intervalNanos;

    private Limit(double ratePerSecond, long capacity, long intervalNanos) {
        this.ratePerSecond = ratePerSecond;
        this.capacity = capacity;
        this.intervalNanos = intervalNanos;
    }

    /**
     * A limit as an operator writes it.
     *
     * @param ratePerSecond tokens that come back in a second, from 0 (blocks) to {@link #MAX_RATE}; may be a fraction
     * @param burst         the most tokens the bucket can hold; at least 1 unless the rate is 0
     * @throws IllegalArgumentException naming the value and the rule, if the limit could not work as written
     */
    public static Limit of(double ratePerSecond, long burst) {
        if (!(ratePerSecond >= 0 && ratePerSecond <= MAX_RATE)) {
            throw new IllegalArgumentException(
                    "rate must be from 0 to " + (long) MAX_RATE + " a second, not " + ratePerSecond);
        }
        if (burst < 0) {
            throw new IllegalArgumentException("burst must not be negative, but is " + burst);
        }
        if (ratePerSecond == 0) {
            return new Limit(0, burst, 0);
        }
        if (burst == 0) {
            throw new IllegalArgumentException(
                    "burst must be at least 1 where the rate is above 0 (a rate of 0 blocks)");
        }
        double interval = NANOS_PER_SECOND / ratePerSecond;
        if (interval * burst > LONGEST_FILL_NANOS) {
            throw new IllegalArgumentException("a burst of " + burst + " at " + ratePerSecond
                    + " a second would take too long to fill (over 70 years)");
        }
        return new Limit(ratePerSecond, burst, Math.round(interval));
    }

    /** Whether nothing is ever given under this limit. */
    public boolean blocks() {
        return intervalNanos == 0;
    }

    /** Tokens that come back in a second, as written. */
    public double ratePerSecond() {
        return ratePerSecond;
    }

    /** The most tokens the bucket can hold, and so the largest burst. */
    public long capacity() {
        return capacity;
    }

    /** The time one token takes to come back, in nanoseconds; zero for a limit that blocks. */
    public long intervalNanos() {
        return intervalNanos;
    }

    /**
     * The whole tokens in a bucket.
     *
     * @param owedNanos the time until it is full
     * @return from 0 to {@link #capacity}
     */
    public long tokensLeft(long owedNanos) {
        return blocks() ? 0 : Math.max(0, fillNanos() - owedNanos) / intervalNanos;
    }

    /** The time an empty bucket takes to fill, in nanoseconds. */
    public long fillNanos() {
        return capacity * intervalNanos;
    }

    /**
     * The time until a bucket is full under this limit, if it holds as many tokens as under another one, but no more than fit.
     *
     * @param before    the other limit, which does not block; nor does this one
     * @param owedNanos the time until the bucket is full under the other limit
     */
    public long owedWith(Limit before, long owedNanos) {
        // Exact, and rounded so that nobody gains by it. Rare enough for objects.
        BigInteger credit = BigInteger.valueOf(before.fillNanos() - owedNanos);
        BigInteger scaled = credit.multiply(BigInteger.valueOf(intervalNanos));
        BigInteger[] parts = scaled.divideAndRemainder(BigInteger.valueOf(before.intervalNanos));
        BigInteger kept = parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
        return fillNanos()
                - kept.min(BigInteger.valueOf(fillNanos()))
                        .max(BigInteger.valueOf(-LONGEST_FILL_NANOS))
                        .longValue();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Limit that
                && capacity == that.capacity
                && Double.compare(ratePerSecond, that.ratePerSecond) == 0;
    }

    @Override
    public int hashCode() {
        return Objects.hash(ratePerSecond, capacity);
    }

    @Override
    public String toString() {
        return ratePerSecond + "/s burst " + capacity;
    }
}
