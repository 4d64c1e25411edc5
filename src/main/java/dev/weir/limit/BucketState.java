package dev.weir.limit;

/**
 * How one bucket of this process stands at a moment.
 *
 * @param principal whose bucket it is; empty for a shared one
 * @param bucket    which bucket
 * @param limit     the limit that it was last counted against
 * @param owedNanos the time until it is full again
 * @param shutNanos the time until its cool-down ends; zero if it is not cooling down
 * @param inFlight  the calls in flight that it has let in, where it counts them
 */
public record BucketState(
        String principal, BucketName bucket, Limit limit, long owedNanos, long shutNanos, int inFlight) {

    /** Whether a new bucket would be no different. */
    boolean isAsNew() {
        return owedNanos == 0 && shutNanos == 0 && inFlight == 0;
    }
}
