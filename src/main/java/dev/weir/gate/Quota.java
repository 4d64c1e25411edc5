package dev.weir.gate;

/**
 * What is left of the tightest limit that a call has touched, for the header fields of its answer.
 *
 * @param policy        the limit's name
 * @param ratePerSecond tokens that come back in a second
 * @param burst         the most tokens the bucket can hold
 * @param remaining     the whole tokens left
 * @param fullNanos     the time until the bucket is full again
 */
public record Quota(String policy, double ratePerSecond, long burst, long remaining, long fullNanos) {}
