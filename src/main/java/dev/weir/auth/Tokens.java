package dev.weir.auth;

import org.jspecify.annotations.Nullable;

/**
 * The port through which access tokens are checked. Implementations are safe for use by many threads and never wait: keys are
 * fetched beside.
 */
public interface Tokens {

    /** Where there is no issuer, no token is good. */
    Tokens NONE = new Tokens() {
        @Override
        public @Nullable Token known(String token) {
            return null;
        }

        @Override
        public TokenCheck check(String token) {
            return new TokenCheck.Bad("no tokens are taken here");
        }
    };

    /** What a token says that was found good before and is still; null if it has to be checked. Costs no signature. */
    @Nullable
    Token known(String token);

    /** Checks a token's signature, issuer, audience and times. */
    TokenCheck check(String token);
}
