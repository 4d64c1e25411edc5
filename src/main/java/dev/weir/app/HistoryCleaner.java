package dev.weir.app;

import dev.weir.policy.Policy;
import dev.weir.policy.Retention;
import dev.weir.store.OldHistory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what the policy says need not be kept of the history any longer, a little at each turn. A ban that still makes a
 * later one longer is kept.
 */
final class HistoryCleaner {

    private static final Logger LOG = LoggerFactory.getLogger(HistoryCleaner.class);

    /** The most batches of a kind at one turn, because other chores wait. */
    private static final int MOST_BATCHES = 20;

    private final OldHistory history;
    private final Supplier<@Nullable Policy> policies;
    private final InstantSource clock;

    /** @param policies the policy that the tables have last made; null for as long as they have made none */
    HistoryCleaner(OldHistory history, Supplier<@Nullable Policy> policies, InstantSource clock) {
        this.history = history;
        this.policies = policies;
        this.clock = clock;
    }

    /** One turn. Waits for the database. */
    void clean() {
        Policy policy = policies.get();
        if (policy == null) {
            // Nobody knows how long it is to be kept, and it is not for us to guess.
            return;
        }
        Retention retention = policy.retention();
        Instant now = clock.instant();
        int throttles = 0;
        int bans = 0;
        int events = 0;
        if (!retention.throttles().isZero()) {
            Instant before = now.minus(retention.throttles());
            throttles = batches(() -> history.deleteThrottles(before));
        }
        if (!retention.bans().isZero()) {
            Instant before = now.minus(retention.bans());
            Instant forgotten =
                    now.minus(longer(retention.bans(), policy.banRule().term().forget()));
            bans = batches(() -> history.deleteLiftedBans(before))
                    + batches(() -> history.deleteExpiredBans(forgotten));
        }
        if (!retention.events().isZero()) {
            Instant before = now.minus(retention.events());
            events = batches(() -> history.deleteEvents(before));
        }
        if (throttles > 0 || bans > 0 || events > 0) {
            LOG.atInfo()
                    .addKeyValue("throttle_events", throttles)
                    .addKeyValue("bans", bans)
                    .addKeyValue("admin_events", events)
                    .log("history_deleted");
        }
    }

    private static int batches(IntSupplier batch) {
        int all = 0;
        for (int i = 0; i < MOST_BATCHES; i++) {
            int deleted = batch.getAsInt();
            all += deleted;
            if (deleted < OldHistory.BATCH) {
                break;
            }
        }
        return all;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
