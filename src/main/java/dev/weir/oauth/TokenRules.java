package dev.weir.oauth;

import java.time.Duration;
import java.util.Set;

/**
 * Whose tokens are believed, and which of them. Immutable.
 *
 * @param issuer    the authorization server, exactly as its tokens name it
 * @param audiences whom a token has to be for: one of these
 * @param clockSkew by how much the issuer's clock and ours may differ
 */
public record TokenRules(String issuer, Set<String> audiences, Duration clockSkew) {

    public TokenRules {
        audiences = Set.copyOf(audiences);
    }
}
