package dev.weir.limit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What would come of a charge now, with nothing taken. Immutable.
 *
 * @param looks       how its takes would fare, the narrowest first
 * @param by          the look at the take that would refuse it; null if everything would be taken
 * @param waitNanos   as the wait of a {@link Reservation} if everything would be taken, else as {@link Outcome.Refused#waitNanos}
 * @param wouldRefuse the look at the take in {@link Tier.Mode#SHADOW} that would have refused it; null if none would
 */
public record Forecast(
        List<Look> looks,
        @Nullable Look by,
        long waitNanos,
        @Nullable Look wouldRefuse) {

    /**
     * How one take would fare, seen for itself.
     *
     * @param reason    why it would be refused; null if it would not
     * @param owedNanos the time until its bucket is full under the take's limit
     * @param waitNanos the time until its bucket gives so many tokens, cool-down and all; {@link Outcome#NEVER} if it never will
     * @param shutNanos the time until the cool-down ends that is under way; zero if none is
     * @param inFlight  the calls in flight that the bucket has let in, where it counts them
     */
    public record Look(
            Take take, Outcome.@Nullable Reason reason, long owedNanos, long waitNanos, long shutNanos, int inFlight) {

        /** The whole tokens that are there. */
        public long tokensLeft() {
            return take.tier().limit().tokensLeft(owedNanos);
        }
    }

    /** Keeps the looks as they are now. */
    public Forecast {
        looks = List.copyOf(looks);
    }

    /** Whether everything would be taken, at once or after a wait. */
    public boolean passes() {
        return by == null;
    }
}
