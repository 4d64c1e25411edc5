package dev.weir.auth;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Says who is calling. Believes nothing that is not proven: no name, no session and no header but a good credential. */
public final class Identifier {

    private static final String BEARER = "bearer ";
    private static final int LONGEST_CREDENTIAL = 8_192;

    private final Clients clients;
    private final Tokens tokens;
    private final KeyStrategy strategy;
    private final boolean authRequired;

    /**
     * @param tokens       checks what is no API key
     * @param strategy     under what calls are counted
     * @param authRequired whether callers without a credential are to be refused
     */
    public Identifier(Clients clients, Tokens tokens, KeyStrategy strategy, boolean authRequired) {
        this.clients = clients;
        this.tokens = tokens;
        this.strategy = strategy;
        this.authRequired = authRequired;
    }

    /**
     * Identifies one request, as far as that is no work.
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
        if (credential == null) {
            return new Identity.Unproven(holder(address), true);
        }
        ClientKey key = clients.byKeyDigest(ApiKey.digest(credential));
        if (key != null) {
            return new Identity.Proven(proven(key, address, userAgent));
        }
        if (authorization == null || !looksLikeToken(credential)) {
            return new Identity.Unproven(holder(address), true);
        }
        Token token = tokens.known(credential);
        return token != null
                ? new Identity.Proven(bearer(token, address, userAgent))
                : new Identity.Unchecked(holder(address), credential);
    }

    /** Checks a token, which is work. */
    public TokenCheck check(Identity.Unchecked unchecked) {
        return tokens.check(unchecked.token());
    }

    /** Who calls with a token that was found good. */
    public Identity.Proven proven(Token token, String address, @Nullable String userAgent) {
        return new Identity.Proven(bearer(token, address, userAgent));
    }

    private Caller proven(ClientKey key, String address, @Nullable String userAgent) {
        return switch (strategy) {
            case CLIENT, USER -> key.asClient();
            case API_KEY -> key.asKey();
            case IP -> key.asClient().under(Principal.address(ClientAddress.block(address)));
            case IP_USER_AGENT -> key.asClient().under(agent(address, userAgent));
        };
    }

    private Caller bearer(Token token, String address, @Nullable String userAgent) {
        Bearer bearer = clients.byToken(token);
        Principal user = Principal.user(token.subject());
        Principal counted = switch (strategy) {
            case CLIENT -> bearer.client() == null ? user : Principal.client(bearer.client());
            case USER, API_KEY -> user;
            case IP -> Principal.address(ClientAddress.block(address));
            case IP_USER_AGENT -> agent(address, userAgent);
        };
        return new Caller(
                counted, user, bearer.client(), Caller.Proof.TOKEN, token.scopes(), bearer.exempt(), bearer.welcome());
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

    /** Three parts, as every signed token has; whatever else is checked no further. */
    private static boolean looksLikeToken(String credential) {
        int first = credential.indexOf('.');
        int second = credential.indexOf('.', first + 1);
        return first > 0 && second > first && credential.indexOf('.', second + 1) < 0;
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
