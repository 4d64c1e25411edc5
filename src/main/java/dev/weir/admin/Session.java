package dev.weir.admin;

import java.time.Instant;

/**
 * A time in which a browser need not show its token again. Immutable.
 *
 * @param id     names it
 * @param digest of the token that it was made from, without which it is worth nothing
 * @param began  when it was made
 * @param used   when it was last used, as far as that is written down
 */
record Session(String id, String digest, Instant began, Instant used) {}
