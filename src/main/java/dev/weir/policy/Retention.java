package dev.weir.policy;

import java.time.Duration;

/**
 * How long history is kept. Zero: for ever.
 *
 * @param throttles throttled calls, from the second in which they were made
 * @param bans      bans, from their end: when they were lifted, or were over
 * @param events    what operators have changed, from the change
 */
public record Retention(Duration throttles, Duration bans, Duration events) {

    private static final Duration LONGEST = Duration.ofDays(3_650);

    /**
     * @throws IllegalArgumentException naming the value and the rule
     */
    public Retention {
        check("throttle_event_days", throttles);
        check("ban_days", bans);
        check("admin_event_days", events);
    }

    private static void check(String name, Duration duration) {
        if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    name + " must be from 0 (for ever) to " + LONGEST.toDays() + ", not " + duration.toDays());
        }
    }
}
