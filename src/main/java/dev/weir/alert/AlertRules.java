package dev.weir.alert;

import java.time.Duration;

/**
 * How alerts are held back, kept and tried again.
 *
 * @param once     how much of what repeats itself is told
 * @param again    when a delivery is tried again
 * @param delivery what one attempt may take
 * @param queue    how many alerts may wait for one target
 */
public record AlertRules(Once once, Again again, Delivery delivery, int queue) {

    /** For real receivers; the robots of some chats take 20 messages a minute. */
    public static final AlertRules USUAL = new AlertRules(
            new Once(Duration.ofMinutes(5), 15),
            new Again(8, Duration.ofSeconds(5), Duration.ofMinutes(5), Duration.ofMinutes(15)),
            new Delivery(Duration.ofSeconds(5), Duration.ofSeconds(10)),
            256);

    /**
     * How much of what repeats itself is told to one target.
     *
     * @param window    for how long the same thing is told once only
     * @param perMinute how many alerts there are in one minute; what is beyond is told as a number
     */
    public record Once(Duration window, int perMinute) {}

    /**
     * When a delivery that has failed is tried again.
     *
     * @param attempts     at most, the first one too
     * @param firstPause   the pause after the first, which doubles with each that follows
     * @param longestPause what that pause grows to, and the most that a receiver can ask for
     * @param oldest       how old an alert may be when it is tried again
     */
    public record Again(int attempts, Duration firstPause, Duration longestPause, Duration oldest) {

        private static final int DOUBLINGS = 16;

        /**
         * The pause after some attempts that have failed.
         *
         * @param chance from 0 to 1: a half of the pause is left to it, so that many do not come back at once
         */
        Duration pauseAfter(int failed, double chance) {
            long doubled = firstPause.toMillis() << Math.min(failed - 1, DOUBLINGS);
            long pause = Math.min(doubled, longestPause.toMillis());
            return Duration.ofMillis(Math.round(pause * (1 + chance) / 2));
        }
    }

    /**
     * What one attempt may take.
     *
     * @param connect to be connected
     * @param total   to have the whole answer, of the part that is read
     */
    public record Delivery(Duration connect, Duration total) {}
}
