package dev.weir.policy;

import dev.weir.auth.Bearer;
import dev.weir.auth.ClientKey;
import dev.weir.auth.Token;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whose keys and tokens are whose. Immutable. */
final class Credentials {

    /** A client's key as far as a look-up needs to know. */
    record Key(ClientKey key, @Nullable Instant expiresAt) {}

    private final Map<String, Key> keys;
    private final Map<String, Bearer> bySubject;
    private final Map<String, Bearer> byClientId;
    private final Bearer unlisted;

    /**
     * @param keys       by their digests
     * @param bySubject  the bearers of tokens with these subjects
     * @param byClientId the bearers of tokens that were given to these clients
     * @param unlisted   the bearer of any other token
     */
    Credentials(Map<String, Key> keys, Map<String, Bearer> bySubject, Map<String, Bearer> byClientId, Bearer unlisted) {
        this.keys = Map.copyOf(keys);
        this.bySubject = Map.copyOf(bySubject);
        this.byClientId = Map.copyOf(byClientId);
        this.unlisted = unlisted;
    }

    /** The key that has this digest and holds at an instant; null if there is none. */
    @Nullable
    ClientKey key(String digest, Instant now) {
        Key found = keys.get(digest);
        if (found == null) {
            return null;
        }
        boolean expired = found.expiresAt() != null && !now.isBefore(found.expiresAt());
        return expired ? null : found.key();
    }

    /** Whose a good token is. */
    Bearer bearer(Token token) {
        Bearer bearer = bySubject.get(token.subject());
        if (bearer == null && token.clientId() != null) {
            bearer = byClientId.get(token.clientId());
        }
        return bearer == null ? unlisted : bearer;
    }
}
