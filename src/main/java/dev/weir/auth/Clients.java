package dev.weir.auth;

import org.jspecify.annotations.Nullable;

/** The port through which a presented credential is turned into a client. Implementations are safe for use by many threads. */
public interface Clients {

    /**
     * The client whose key has this digest.
     *
     * @param digest as {@link ApiKey#digest} makes it
     * @return null if there is none, or the key or its client does not hold now
     */
    @Nullable
    Principal byKeyDigest(String digest);
}
