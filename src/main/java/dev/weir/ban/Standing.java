package dev.weir.ban;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A ban that holds, with all that is said of it made ready once, because a banned agent may ask very often. Immutable to all
 * who look.
 */
public final class Standing {

    private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);

    private final Ban ban;
    private final CompletionStage<Void> recorded;
    private final long endMillis;
    private final String why;

    /** Null until somebody asks, because many bans are taken over at the start. Two who ask at once find the same. */
    private @Nullable String until;

    Standing(Ban ban, CompletionStage<Void> recorded) {
        this.ban = ban;
        this.recorded = recorded;
        this.endMillis = roundedUp(ban.expiresAt());
        this.why = ban.strikes() > 0 ? "after " + ban.reason() : "(" + ban.reason() + ")";
    }

    /** A ban that the history has told of. */
    static Standing recorded(Ban ban) {
        return new Standing(ban, DONE);
    }

    /** The ban. */
    public Ban ban() {
        return ban;
    }

    /** Done when the ban would survive a crash. */
    public CompletionStage<Void> recorded() {
        return recorded;
    }

    /** Whether the ban shuts everything, and not only calls of tools. */
    public boolean shutsAll() {
        return ban.scope() == BanRule.Scope.ALL;
    }

    /** Why, in words that follow the time left. */
    public String why() {
        return why;
    }

    /** When it ends, as RFC 3339 writes it, rounded up to whole seconds. */
    public String until() {
        String known = until;
        if (known == null) {
            known = wholeSeconds(ban.expiresAt());
            until = known;
        }
        return known;
    }

    /** The milliseconds that are left of it, at least one. */
    public long remainingMillis(long nowMillis) {
        return Math.max(1, endMillis - nowMillis);
    }

    /** When it ends, in milliseconds since 1970. */
    long endMillis() {
        return endMillis;
    }

    boolean holdsAt(long nowMillis) {
        return nowMillis < endMillis;
    }

    boolean isRecorded() {
        return recorded.toCompletableFuture().isDone();
    }

    /** Which of two bans is to be spoken of while both hold: the wider one, and of two as wide the one that ends later. */
    static int firstToSay(Standing a, Standing b) {
        if (a.shutsAll() != b.shutsAll()) {
            return a.shutsAll() ? -1 : 1;
        }
        return Long.compare(b.endMillis, a.endMillis);
    }

    /** In milliseconds since 1970; the largest there are for an end beyond them, which a database can name. */
    private static long roundedUp(Instant end) {
        try {
            return end.plusNanos(999_999).toEpochMilli();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    private static String wholeSeconds(Instant end) {
        Instant seconds = end.truncatedTo(ChronoUnit.SECONDS);
        return (seconds.equals(end) ? seconds : seconds.plusSeconds(1)).toString();
    }
}
