package dev.weir.limit;

import org.jspecify.annotations.Nullable;

/**
 * What came of one charge, in the terms that a client is told.
 *
 * @param refusedBy  the narrowest take that was refused; null if all were taken
 * @param reason     why it was refused; null if it was not
 * @param waitNanos  the time after which the same charge would be taken, if nobody else takes in between; zero if it was
 *                   taken, {@link #NEVER} if it never will be
 * @param tightest   the take with the fewest tokens left; null for a charge that takes nothing
 * @param remaining  the whole tokens left in that bucket
 * @param fullNanos  the time until that bucket is full again
 * @param wouldRefuse the narrowest take in {@link Take.Mode#SHADOW} that would have been refused; null if none would
 */
public record Outcome(
        @Nullable Take refusedBy,
        @Nullable Reason reason,
        long waitNanos,
        @Nullable Take tightest,
        long remaining,
        long fullNanos,
        @Nullable Take wouldRefuse) {

    /** The wait of a charge that will never be taken. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Why a take was refused. */
    public enum Reason {
        /** The bucket held too little. */
        EMPTY,
        /** The bucket is shut after an earlier refusal, and would have given the tokens otherwise. */
        COOLING,
        /** The limit's rate is zero. */
        BLOCKED
    }

    /** What a charge that takes nothing comes to. */
    static final Outcome FREE = new Outcome(null, null, 0, null, 0, 0, null);

    /** Whether everything was taken. */
    public boolean taken() {
        return refusedBy == null;
    }
}
