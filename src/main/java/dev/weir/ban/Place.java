package dev.weir.ban;

import java.time.Instant;

/**
 * Where a page of history ends: what comes after it is older, or as old and of a lower id. Immutable.
 *
 * @param at when the last of the page happened
 * @param id its id
 */
public record Place(Instant at, String id) {}
