package dev.weir.auth;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a good access token says of its bearer. Immutable.
 *
 * @param subject  who has granted it, or, where nobody has, the client itself: the claim {@code sub}
 * @param clientId the client that it was given to: the claim {@code client_id}, else {@code azp}; null if it names none
 * @param scopes   what it is good for: the words of the claim of that name, or of {@code scp}
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9068#section-2.2">RFC 9068, 2.2: the data structure</a>
 */
public record Token(String subject, @Nullable String clientId, Set<String> scopes) {

    public Token {
        scopes = Set.copyOf(scopes);
    }
}
