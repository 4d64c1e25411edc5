package dev.weir.app;

import dev.weir.alert.Alerts;
import dev.weir.alert.HouseNews;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes alerts of a database that goes away and comes back. What passes within seconds is nobody's alarm. Is used by one thread at a
 * time.
 */
final class DatabaseAlarm {

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** A database that is there may take so long to be opened for the first time. */
    private static final Duration OPENING_PATIENCE = Duration.ofSeconds(30);

    private final Supplier<@Nullable String> trouble;
    private final Alerts alerts;
    private final LongSupplier nanoClock;

    /** When the running trouble was seen first; null while there is none. */
    private @Nullable Long sinceNanos;

    private boolean told;

    /** @param trouble what goes wrong with the database; null if nothing does */
    DatabaseAlarm(Supplier<@Nullable String> trouble, Alerts alerts, LongSupplier nanoClock) {
        this.trouble = trouble;
        this.alerts = alerts;
        this.nanoClock = nanoClock;
    }

    /** Looks how it is now. To be called about once a second. */
    void look() {
        String now = trouble.get();
        long nanos = nanoClock.getAsLong();
        Long since = sinceNanos;
        if (now == null) {
            if (told && since != null) {
                alerts.raise(HouseNews.databaseBack(Duration.ofNanos(nanos - since)));
            }
            sinceNanos = null;
            told = false;
        } else if (since == null) {
            sinceNanos = nanos;
        } else if (!told && nanos - since >= patience(now).toNanos()) {
            told = true;
            alerts.raise(HouseNews.databaseAway(now));
        }
    }

    private static Duration patience(String trouble) {
        return trouble.equals(Opening.UNDER_WAY) ? OPENING_PATIENCE : PATIENCE;
    }
}
