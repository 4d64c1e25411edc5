package dev.weir.rest;

import dev.weir.auth.Role;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Who asks, as far as that is proven.
 *
 * @param name    what changes are written down under
 * @param role    what it may do
 * @param session the id of its session; null if it showed a token
 * @param until   when its session ends at the latest; null if it showed a token
 */
public record Operator(
        String name,
        Role role,
        @Nullable String session,
        @Nullable Instant until) {

    /** One that showed a token. */
    public static Operator byToken(String name, Role role) {
        return new Operator(name, role, null, null);
    }
}
