package dev.weir.auth;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Says who is calling. Believes nothing that is not proven: no name, no session and no header but a good credential. */
public final class Identifier {

    private static final String BEARER = "bearer ";
    private static final int LONGEST_CREDENTIAL = 8_192;

    private final Clients clients;
    private final KeyStrategy strategy;
    private final boolean authRequired;

    /**
     * @param strategy     under what calls are counted
     * @param authRequired whether callers without a credential are to be refused
     */
    public Identifier(Clients clients, KeyStrategy strategy, boolean authRequired) {
        this.clients = clients;
        this.strategy = strategy;
        this.authRequired = authRequired;
    }

    /**
     * Identifies one request.
     *
     * @param authorization the {@code Authorization} field; null if there is none
     * @param apiKey        the {@code X-API-Key} field; null if there is none
     * @param address       the address literal of the caller
     * @param userAgent     the {@code User-Agent} field; null if there is none
     */
    public Identity identify(
            @Nullable String authorization, @Nullable String apiKey, String address, @Nullable String userAgent) {
        if (authorization == null && apiKey == null) {
            return authRequired
                    ? new Identity.Unproven(holder(address), false)
                    : new Identity.Anonymous(anonymous(address, userAgent));
        }
        String credential = credential(authorization, apiKey);
        ClientKey key = credential == null ? null : clients.byKeyDigest(ApiKey.digest(credential));
        return key != null
                ? new Identity.Proven(proven(key, address, userAgent))
                : new Identity.Unproven(holder(address), true);
    }

    private Caller proven(ClientKey key, String address, @Nullable String userAgent) {
        return switch (strategy) {
            case CLIENT -> key.asClient();
            case API_KEY -> key.asKey();
            case IP -> key.asClient().under(Principal.address(ClientAddress.block(address)));
            case IP_USER_AGENT -> key.asClient().under(agent(address, userAgent));
        };
    }

    private Caller anonymous(String address, @Nullable String userAgent) {
        return strategy == KeyStrategy.IP_USER_AGENT ? Caller.unknown(agent(address, userAgent)) : holder(address);
    }

    private static Caller holder(String address) {
        return Caller.unknown(Principal.address(ClientAddress.block(address)));
    }

    private static Principal agent(String address, @Nullable String userAgent) {
        return Principal.agent(ClientAddress.block(address), userAgent == null ? "" : userAgent);
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
