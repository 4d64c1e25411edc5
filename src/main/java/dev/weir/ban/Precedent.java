package dev.weir.ban;

import java.time.Instant;

/**
 * A ban of a client that makes the next one longer: it came from strikes, and nobody has lifted it.
 *
 * @param principal  who was banned
 * @param banId      the ban
 * @param expiresAt  when it ends, or ended
 * @param escalation how many bans before made it longer
 */
public record Precedent(String principal, String banId, Instant expiresAt, int escalation) {}
