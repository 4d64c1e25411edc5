package dev.weir.ban;

import java.time.Instant;

/**
 * A row of the history of throttles.
 *
 * @param id       its number
 * @param at       the second, or under a flood the minute, in which the calls were made
 * @param kind     what they have in common
 * @param calls    how many there were
 * @param node     the Weir that refused them
 */
public record ThrottleRecord(long id, Instant at, ThrottleEvent.Kind kind, long calls, String node) {

    /** Where a page ends whose last this is. */
    public Place place() {
        return new Place(at, Long.toString(id));
    }
}
