package dev.weir.limit;

import org.jspecify.annotations.Nullable;

/** What came of one charge. Immutable. */
public sealed interface Outcome {

    /** The wait of a charge that will never be taken. */
    long NEVER = Long.MAX_VALUE;

    /** Why a take was refused. */
    enum Reason {
        /** The bucket held too little. */
        EMPTY,
        /** The bucket is shut after an earlier refusal, and would have given the tokens otherwise. */
        COOLING,
        /** As many calls are in flight as may be. */
        BUSY,
        /** The limit's rate is zero. */
        BLOCKED
    }

    /**
     * Everything was taken.
     *
     * @param tightest    the take with the fewest tokens left; null for a charge that takes nothing
     * @param owedNanos   the time until that bucket is full again
     * @param wouldRefuse the take in {@link Tier.Mode#SHADOW} that would have been refused; null if none would
     * @param reservation what the call has to wait for, or to give back at its end; null for most calls
     */
    record Taken(
            @Nullable Take tightest,
            long owedNanos,
            @Nullable Take wouldRefuse,
            @Nullable Reservation reservation) implements Outcome {

        /** What a charge that takes nothing comes to. */
        static final Taken FREE = new Taken(null, 0, null, null);
    }

    /**
     * Nothing was taken, but for what a bucket is charged in its cool-down.
     *
     * @param by          the narrowest take that was refused
     * @param reason      why
     * @param waitNanos   the time after which the same charge would be taken, if nobody else takes in between; {@link #NEVER}
     *                    if it never will be; the least time for {@link Reason#BUSY}, whose end nobody knows
     * @param owedNanos   the time until the bucket that refused is full again
     * @param wouldRefuse the take in {@link Tier.Mode#SHADOW} that would have been refused; null if none would
     */
    record Refused(
            Take by,
            Reason reason,
            long waitNanos,
            long owedNanos,
            @Nullable Take wouldRefuse) implements Outcome {}
}
