package dev.weir.auth;

import org.jspecify.annotations.Nullable;

/** The port through which a good credential is turned into a client. Implementations are safe for use by many threads. */
public interface Clients {

    /**
     * The key that has this digest.
     *
     * @param digest as {@link ApiKey#digest} makes it
     * @return null if there is none, or the key or its client does not hold now
     */
    @Nullable
    ClientKey byKeyDigest(String digest);

    /** Whose a token is that was found good. */
    Bearer byToken(Token token);
}
