package dev.weir.ban;

import java.time.Duration;

/**
 * How long bans last: the first so long, each later one of the same client longer by a factor, until the client has been
 * quiet for some time.
 *
 * @param first   how long a first ban lasts
 * @param factor  how many times as long as the one before each later ban lasts
 * @param longest the longest that a ban gets
 * @param forget  the time from a ban's end after which it makes the next one no longer; zero if none ever does
 */
public record BanTerm(Duration first, double factor, Duration longest, Duration forget) {

    private static final Duration TEN_YEARS = Duration.ofDays(3_650);
    private static final double MAX_FACTOR = 10;

    /**
     * @throws IllegalArgumentException naming the value and the rule
     */
    public BanTerm {
        if (first.isNegative() || first.isZero() || first.compareTo(TEN_YEARS) > 0) {
            throw new IllegalArgumentException(
                    "duration must be above 0 and at most 3650 days, not " + first.toSeconds() + " s");
        }
        // Written so that what is no number at all is refused too.
        if (!(factor >= 1 && factor <= MAX_FACTOR)) {
            throw new IllegalArgumentException("escalation_factor must be from 1 to 10, not " + factor);
        }
        if (longest.compareTo(first) < 0 || longest.compareTo(TEN_YEARS) > 0) {
            throw new IllegalArgumentException("max_duration_seconds must be at least duration_seconds, "
                    + first.toSeconds() + ", and at most 3650 days, not " + longest.toSeconds());
        }
        if (forget.isNegative() || forget.compareTo(TEN_YEARS) > 0) {
            throw new IllegalArgumentException("forget_days must be from 0 to 3650, not " + forget.toDays());
        }
    }

    /** How long a ban lasts that so many bans before have made longer. */
    public Duration of(int escalation) {
        double seconds = first.toSeconds() * Math.pow(factor, escalation);
        return Duration.ofMillis(Math.round(Math.min(seconds, (double) longest.toSeconds()) * 1000));
    }
}
