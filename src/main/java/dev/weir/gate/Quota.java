package dev.weir.gate;

import dev.weir.limit.Limit;
import dev.weir.limit.Take;

/**
 * What is left of the tightest limit that a call has touched, for the header fields of its answer.
 *
 * <p>Immutable.
 *
 * @param policy        the limit's name
 * @param ratePerSecond tokens that come back in a second
 * @param burst         the most tokens the bucket can hold
 * @param remaining     the whole tokens left
 * @param fullNanos     the time until the bucket is full again
 * @param maxConcurrent the most calls in flight; zero for any number
 */
public record Quota(
        String policy, double ratePerSecond, long burst, long remaining, long fullNanos, int maxConcurrent) {

    static Quota of(Take take, long owedNanos) {
        Limit limit = take.tier().limit();
        return new Quota(
                take.tier().name(),
                limit.ratePerSecond(),
                limit.capacity(),
                limit.tokensLeft(owedNanos),
                owedNanos,
                take.tier().maxConcurrent());
    }
}
