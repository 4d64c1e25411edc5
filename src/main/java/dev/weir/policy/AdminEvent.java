package dev.weir.policy;

import dev.weir.ban.Place;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change that an operator made, as it is written down.
 *
 * @param id     its number
 * @param at     when the transaction of the change began
 * @param by     who made it
 * @param action insert, update, delete or truncate
 * @param table  the table that was changed
 * @param row    the row's key, its columns with a space between them
 * @param before the row before, as the text of a JSON object; null if there was none
 * @param after  the row after, likewise
 */
public record AdminEvent(
        long id,
        Instant at,
        String by,
        String action,
        String table,
        String row,
        @Nullable String before,
        @Nullable String after) {

    /** Where a page ends whose last this is. */
    public Place place() {
        return new Place(at, Long.toString(id));
    }
}
