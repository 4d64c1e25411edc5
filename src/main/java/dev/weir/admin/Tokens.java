package dev.weir.admin;

import dev.weir.auth.Role;
import org.jspecify.annotations.Nullable;

/** The tokens that operators have. Must be safe for use by many threads, and waits for nothing. */
public interface Tokens {

    /**
     * Whose a token is.
     *
     * @param name what changes are written down under
     */
    record Owner(String name, Role role) {}

    /**
     * The owner of a token that is good now; null if it is not.
     *
     * @param digest as {@link dev.weir.auth.ApiKey#digest} makes it
     */
    @Nullable
    Owner owner(String digest);
}
