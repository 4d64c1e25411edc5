package dev.weir.ban;

import java.time.Instant;

/**
 * How many calls of one kind were refused in one second, or would have been.
 *
 * @param second the second
 * @param kind   what the calls have in common
 * @param calls  how many there were; at least 1
 */
public record ThrottleEvent(Instant second, Kind kind, long calls) {

    /**
     * What tells throttled calls apart in the history.
     *
     * @param principal who called
     * @param route     the prefix of the route; empty if the path belongs to none
     * @param tool      the tool that would have run, or the method that has a limit of its own; empty if neither
     * @param level     the level that refused, as one short word
     * @param decision  what became of the calls
     */
    public record Kind(String principal, String route, String tool, String level, Decision decision) {}

    /** What became of a call that ran into a limit. */
    public enum Decision {
        /** It was refused. */
        THROTTLED("throttled"),
        /** It was let through, because the limit is only being tried out. */
        WOULD_THROTTLE("would_throttle");

        private final String word;

        Decision(String word) {
            this.word = word;
        }

        /** The decision as it is written in rows. */
        public String word() {
            return word;
        }
    }

    /**
     * @throws IllegalArgumentException if there were no calls
     */
    public ThrottleEvent {
        if (calls < 1) {
            throw new IllegalArgumentException("an event is of at least 1 call, not " + calls);
        }
    }
}
