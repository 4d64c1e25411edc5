package dev.weir.ban;

import java.time.Duration;

/**
 * When throttles become a ban, and what kind of ban.
 *
 * @param threshold the strikes inside the window that are still borne; one more is a ban
 * @param window    how far back strikes count; one that is just so old counts no more
 * @param term      how long a ban lasts
 * @param scope     what a ban shuts
 * @param count     which throttles are strikes
 */
public record BanRule(int threshold, Duration window, BanTerm term, Scope scope, Count count) {

    /** The most strikes that a rule may bear, because each principal's are kept. */
    public static final int MAX_THRESHOLD = 1_000;

    /** What a ban shuts. */
    public enum Scope {
        /** Calls of tools. */
        TOOLS,
        /** Everything. */
        ALL;

        /** The scope as it is written in settings, answers and rows. */
        public String word() {
            return this == TOOLS ? "tools" : "all";
        }
    }

    /** Which throttles are strikes. */
    public enum Count {
        /** Those that the caller could have avoided by reading the answer to the one before. */
        INFORMED,
        /** Every one. */
        EVERY
    }

    /**
     * @throws IllegalArgumentException naming the value and the rule
     */
    public BanRule {
        if (threshold < 0 || threshold > MAX_THRESHOLD) {
            throw new IllegalArgumentException("threshold must be from 0 to " + MAX_THRESHOLD + ", not " + threshold);
        }
        if (window.isNegative() || window.isZero() || window.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(
                    "window must be above 0 and at most a day, not " + window.toSeconds() + " s");
        }
    }
}
