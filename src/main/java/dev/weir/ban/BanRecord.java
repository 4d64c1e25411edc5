package dev.weir.ban;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A ban as it is written down, with what became of it.
 *
 * @param lift who lifted it; null if nobody has
 * @param node the Weir that made it; empty if it was made by hand in the database
 */
public record BanRecord(Ban ban, @Nullable Lift lift, String node) {

    /**
     * The lifting of a ban.
     *
     * @param at     when
     * @param by     the operator; null if nobody said so
     * @param reason why, in words; null if nobody said so
     */
    public record Lift(
            Instant at, @Nullable String by, @Nullable String reason) {}

    /** What has become of a ban. */
    public enum State {
        /** It holds. */
        ACTIVE,
        /** Its time is over. */
        ENDED,
        /** Somebody has lifted it. */
        LIFTED
    }

    /** What has become of it by an instant. */
    public State state(Instant now) {
        if (lift != null) {
            return State.LIFTED;
        }
        return ban.expiresAt().isAfter(now) ? State.ACTIVE : State.ENDED;
    }

    /** Where a page ends whose last this is. */
    public Place place() {
        return new Place(ban.startedAt(), ban.id());
    }
}
