package dev.weir.alert;

import java.time.Instant;

/**
 * News on its way to one receiver.
 *
 * @param id       names the alert, so that a receiver knows when it gets it once more
 * @param time     when it happened
 * @param node     the Weir that tells of it
 * @param news     what happened
 * @param repeated how much news like this was held back since the last alert of it, and is told by this one
 */
public record Alert(String id, Instant time, String node, News news, int repeated) {}
