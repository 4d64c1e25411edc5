package dev.weir.rest;

import dev.weir.auth.Role;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who asks, as far as that is proven.
 *
 * @param name    what changes are written down under
 * @param role    what it may do
 * @param session the id of its session; null if it showed a token
 * @param until   when its session ends at the latest; null if it showed a token
 * @param good    whether its token, and its session, are good still; waits for nothing
 */
public record Operator(
        String name,
        Role role,
        @Nullable String session,
        @Nullable Instant until,
        BooleanSupplier good) {

    /** One that showed a token. */
    public static Operator byToken(String name, Role role, BooleanSupplier good) {
        return new Operator(name, role, null, null, good);
    }

    /** Whether it might still ask what it has asked: for answers that go on. */
    public boolean isStillGood() {
        return good.getAsBoolean();
    }
}
