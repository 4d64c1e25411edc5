package dev.weir.auth;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Says who is calling. Believes nothing that is not proven: no name, no session and no header but a good credential. */
public final class Identifier {

    private static final String BEARER = "bearer ";
    private static final int LONGEST_CREDENTIAL = 8_192;

    private final Clients clients;
    private final boolean authRequired;

    /** @param authRequired whether callers without a credential are to be refused */
    public Identifier(Clients clients, boolean authRequired) {
        this.clients = clients;
        this.authRequired = authRequired;
    }

    /**
     * Identifies one request.
     *
     * @param authorization the {@code Authorization} field; null if there is none
     * @param apiKey        the {@code X-API-Key} field; null if there is none
     * @param address       the address literal of the caller
     */
    public Identity identify(@Nullable String authorization, @Nullable String apiKey, String address) {
        if (authorization == null && apiKey == null) {
            Principal holder = Principal.address(ClientAddress.block(address));
            return authRequired ? new Identity.Unproven(holder, false) : new Identity.Anonymous(holder);
        }
        String credential = credential(authorization, apiKey);
        Principal client = credential == null ? null : clients.byKeyDigest(ApiKey.digest(credential));
        return client != null
                ? new Identity.Proven(client)
                : new Identity.Unproven(Principal.address(ClientAddress.block(address)), true);
    }

    /** The one credential that is presented; null if it is none we know, or two that differ. */
    private static @Nullable String credential(@Nullable String authorization, @Nullable String apiKey) {
        String bearer = null;
        if (authorization != null) {
            boolean known = authorization.length() > BEARER.length()
                    && authorization
                            .substring(0, BEARER.length())
                            .toLowerCase(Locale.ROOT)
                            .equals(BEARER);
            if (!known) {
                return null;
            }
            bearer = authorization.substring(BEARER.length()).strip();
        }
        if (bearer != null && apiKey != null && !bearer.equals(apiKey)) {
            return null;
        }
        String credential = bearer != null ? bearer : apiKey;
        return credential != null && credential.length() <= LONGEST_CREDENTIAL ? credential : null;
    }
}
