package dev.weir.store;

import java.time.Instant;
import org.jdbi.v3.core.Jdbi;

/** Deletes what has ended long ago from the tables of history, in transactions of a few rows. Safe for use by many threads. */
public final class OldHistory {

    /** The most rows that one transaction deletes. */
    public static final int BATCH = 500;

    private final Jdbi jdbi;

    public OldHistory(Database database) {
        this.jdbi = database.jdbi();
    }

    /**
     * Deletes rows of {@code throttle_event} that are older than an instant.
     *
     * @return how many; fewer than {@link #BATCH} when hardly any are left
     */
    public int deleteThrottles(Instant before) {
        // By the index, and its latest first, because H2 reads an index in its own order only.
        return delete("throttle_event", "happened_at < :before", "happened_at DESC, id DESC", before);
    }

    /** Deletes rows of {@code admin_event} that are older than an instant; like {@link #deleteThrottles}. */
    public int deleteEvents(Instant before) {
        return delete("admin_event", "happened_at < :before", "happened_at DESC, id DESC", before);
    }

    /** Deletes rows of {@code ban} that were lifted before an instant; like {@link #deleteThrottles}. */
    public int deleteLiftedBans(Instant before) {
        return delete("ban", "lifted_at < :before", "lifted_at, expires_at, version", before);
    }

    /** Deletes rows of {@code ban} that nobody lifted and that were over before an instant; like {@link #deleteThrottles}. */
    public int deleteExpiredBans(Instant before) {
        return delete("ban", "lifted_at IS NULL AND expires_at < :before", "lifted_at, expires_at, version", before);
    }

    private int delete(String table, String old, String order, Instant before) {
        return jdbi.withHandle(handle -> handle.createUpdate("DELETE FROM " + table + " WHERE id IN (SELECT id FROM "
                        + table + " WHERE " + old + " ORDER BY " + order + " FETCH FIRST " + BATCH + " ROWS ONLY)")
                .bind("before", SqlTime.of(before))
                .execute());
    }
}
