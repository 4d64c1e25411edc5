package dev.weir.limit;

/**
 * A named limit with all that goes with it. Immutable, and shared by all takes under it.
 *
 * @param name          what the limit is called in answers: a tier's name, or a level's word
 * @param limit         the numbers that a bucket is counted against
 * @param cooldownNanos how long a bucket stays shut once it has refused; zero for none
 * @param maxConcurrent the most calls in flight that a bucket lets run at one time; zero for any number
 * @param maxWaitNanos  how long a call may wait for its tokens instead of being refused; zero for not at all
 * @param mode          whether a refusal holds
 */
public record Tier(String name, Limit limit, long cooldownNanos, int maxConcurrent, long maxWaitNanos, Mode mode) {

    /** The longest wait for tokens, in nanoseconds: a minute. */
    public static final long LONGEST_WAIT_NANOS = 60_000_000_000L;

    /** What a refusal means. */
    public enum Mode {
        /** The call is refused. */
        ENFORCE,
        /** The call goes on; only told about. */
        SHADOW,
        /** Nothing is counted. */
        OFF
    }

    /**
     * @throws IllegalArgumentException naming the value and the rule
     */
    public Tier {
        if (cooldownNanos < 0) {
            throw new IllegalArgumentException("cool-down must not be negative, but is " + cooldownNanos + " ns");
        }
        if (maxConcurrent < 0) {
            throw new IllegalArgumentException("max_concurrent must not be negative, but is " + maxConcurrent);
        }
        if (maxWaitNanos < 0 || maxWaitNanos > LONGEST_WAIT_NANOS) {
            throw new IllegalArgumentException(
                    "a wait for tokens must be from 0 to " + LONGEST_WAIT_NANOS + " ns, not " + maxWaitNanos);
        }
    }

    /** A tier that is nothing but its limit. */
    public static Tier of(String name, Limit limit) {
        return new Tier(name, limit, 0, 0, 0, Mode.ENFORCE);
    }
}
