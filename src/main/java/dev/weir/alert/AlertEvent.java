package dev.weir.alert;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** A kind of alert. Its word is the same in the settings, in what is sent, and in the log. */
public enum AlertEvent {
    /** This Weir has shut a principal out. */
    BANNED(Severity.WARNING, "bans"),
    /** A ban that this Weir had made holds no more. */
    UNBANNED(Severity.INFO, "ends of bans"),
    /** The rows in the tables make no policy; the last good one stays in force. */
    POLICY_REJECTED(Severity.CRITICAL, "rejected policies"),
    /** They make one again. */
    POLICY_ACCEPTED(Severity.INFO, "accepted policies"),
    /** A route's circuit breaker lets nothing through. */
    BREAKER_OPENED(Severity.CRITICAL, "openings of circuit breakers"),
    /** It lets everything through again. */
    BREAKER_CLOSED(Severity.INFO, "closings of circuit breakers"),
    /** The database does not do what is asked of it. */
    DATABASE_AWAY(Severity.CRITICAL, "losses of the database"),
    /** It does again. */
    DATABASE_BACK(Severity.INFO, "returns of the database"),
    /** Somebody tries whether alerts arrive. */
    TEST(Severity.INFO, "tests");

    /** How much it matters. */
    public enum Severity {
        CRITICAL,
        WARNING,
        INFO;

        /** Its name for programs. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a receiver gets that asks for nothing in particular: the ends of bans would be as many as the bans. */
    public static final Set<AlertEvent> USUAL = Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(UNBANNED)));

    private final Severity severity;
    private final String many;

    AlertEvent(Severity severity, String many) {
        this.severity = severity;
        this.many = many;
    }

    /** Its name for programs. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** How much it matters. */
    public Severity severity() {
        return severity;
    }

    /** Several of it, for people. */
    String many() {
        return many;
    }

    /**
     * The event of a word.
     *
     * @throws IllegalArgumentException if there is none, with the words that there are
     */
    public static AlertEvent of(String word) {
        return Arrays.stream(values())
                .filter(event -> event.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("must be of "
                        + Arrays.stream(values()).map(AlertEvent::word).collect(Collectors.joining(", ")) + ", not ["
                        + PlainText.of(word, 40) + "]"));
    }
}
