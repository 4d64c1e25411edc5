package dev.weir.ban;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A ban of a client that makes the next one longer: it came from strikes, and nobody has lifted it.
 *
 * @param principal  who was banned
 * @param banId      the ban
 * @param expiresAt  when it ends, or ended
 * @param escalation how many bans before made it longer
 */
public record Precedent(String principal, String banId, Instant expiresAt, int escalation) {

    /** What comes of a ban; null if it was not for strikes, or if it is of an address: there may be many behind one. */
    static @Nullable Precedent of(Ban ban) {
        boolean counts = ban.strikes() > 0
                && !ban.principal().startsWith("address:")
                && !ban.principal().startsWith("agent:");
        return counts ? new Precedent(ban.principal(), ban.id(), ban.expiresAt(), ban.escalation()) : null;
    }

    /** Of two precedents of one client, the one of the ban that ends last. */
    public static Precedent later(Precedent one, Precedent other) {
        int order = one.expiresAt().compareTo(other.expiresAt());
        return order > 0 || (order == 0 && one.banId().compareTo(other.banId()) < 0) ? one : other;
    }
}
