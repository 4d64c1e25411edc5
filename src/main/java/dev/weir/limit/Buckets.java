package dev.weir.limit;

/** Where takes are counted. Implementations are safe for use by many threads and own the clock. */
public interface Buckets {

    /**
     * Takes everything that the charge names, or nothing. All buckets are looked at first and then taken from, the narrowest
     * first; if a wider one refuses after all, because others took in between, what was taken is given back.
     *
     * <p>One thing is kept of a refused charge: a bucket that is cooling down is charged all the same, as far as it has
     * tokens, so that only what the bucket itself refuses is told apart as {@link Outcome.Reason#EMPTY}.
     *
     * <p>Where a tier allows a wait, tokens that will be there in time are promised at once, and the later caller is promised
     * later ones: who waits, waits in the order of arrival. The wider levels are charged when the call arrives.
     *
     * @param principal whose buckets the personal takes come from
     */
    Outcome take(String principal, Charge charge);
}
