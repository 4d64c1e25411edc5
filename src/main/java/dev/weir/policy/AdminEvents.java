package dev.weir.policy;

import dev.weir.ban.Place;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what operators have changed. Waits for the store. Safe for use by many threads. */
public interface AdminEvents {

    /**
     * Which changes are asked for; null leaves a matter open.
     *
     * @param table  the table that was changed
     * @param row    the key of the row
     * @param by     who made them
     * @param action insert, update, delete or truncate
     * @param from   the earliest
     * @param until  they were made before this
     */
    record Filter(
            @Nullable String table,
            @Nullable String row,
            @Nullable String by,
            @Nullable String action,
            @Nullable Instant from,
            @Nullable Instant until) {}

    /**
     * A page of changes, the latest first.
     *
     * @param after where the page before ended; null for the first page
     * @param most  the most that are wanted
     */
    List<AdminEvent> page(Filter filter, @Nullable Place after, int most);
}
