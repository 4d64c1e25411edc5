package dev.weir.limit;

/**
 * What one bucket owes, in a form that outlives the process: relative to now, because the clock of a bucket has no origin.
 *
 * @param principal whose bucket it is; empty for a shared one
 * @param bucket    which bucket
 * @param limit     the limit that it was last counted against, which says how many tokens the times are worth
 * @param fullNanos the time until it is full again
 * @param shutNanos the time until its cool-down ends
 */
public record BucketDebt(String principal, BucketName bucket, Limit limit, long fullNanos, long shutNanos) {}
