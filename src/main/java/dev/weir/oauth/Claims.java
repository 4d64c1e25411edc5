package dev.weir.oauth;

import dev.weir.auth.Token;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a token says, once it has been checked against the rules; its signature is looked at elsewhere. Immutable.
 *
 * @param token      what its bearer may be taken for
 * @param endsMillis when it ends by the issuer's word and the clock skew, as milliseconds of the epoch
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9068#section-4">RFC 9068, 4: validating JWT access tokens</a>
 */
record Claims(Token token, long endsMillis) {

    /** The most characters of a name: more than OpenID Connect lets a subject have. */
    private static final int LONGEST_NAME = 255;

    /** Later than any time that is meant, in seconds, and far from where milliseconds overflow. */
    private static final double END_OF_TIME = 1e13;

    private static final double MILLIS = 1_000;

    /**
     * Checks what a token says.
     *
     * @param said      its claims
     * @param nowMillis the wall clock
     * @throws BadTokenException if it is not the issuer's, not for us, not in time, or lacks what it has to have
     */
    static Claims check(Map<String, Object> said, TokenRules rules, long nowMillis) throws BadTokenException {
        if (!rules.issuer().equals(said.get("iss"))) {
            throw new BadTokenException("the token is of another issuer");
        }
        if (!isForUs(said.get("aud"), rules.audiences())) {
            throw new BadTokenException("the token is for another audience");
        }
        long skew = rules.clockSkew().toMillis();
        Long ends = millis(said, "exp");
        if (ends == null) {
            throw new BadTokenException("the token has no end");
        }
        if (nowMillis >= ends + skew) {
            throw new BadTokenException("the token has expired");
        }
        Long begins = millis(said, "nbf");
        if (begins != null && nowMillis + skew < begins) {
            throw new BadTokenException("the token is not good yet");
        }
        Long issued = millis(said, "iat");
        if (issued != null && nowMillis + skew < issued) {
            throw new BadTokenException("the token was issued in the future");
        }
        String subject = name(said, "sub");
        if (subject == null) {
            throw new BadTokenException("the token has no subject");
        }
        String client = name(said, "client_id");
        Token token = new Token(subject, client == null ? name(said, "azp") : client, scopes(said));
        return new Claims(token, ends + skew);
    }

    /** An audience is one string or an array of them, compared exactly: RFC 7519, 4.1.3. */
    private static boolean isForUs(@Nullable Object audience, Set<String> ours) {
        if (audience instanceof List<?> list) {
            return list.stream().allMatch(String.class::isInstance)
                    && list.stream().anyMatch(each -> each instanceof String one && ours.contains(one));
        }
        return audience instanceof String one && ours.contains(one);
    }

    private static @Nullable Long millis(Map<String, Object> said, String claim) throws BadTokenException {
        Object value = said.get(claim);
        if (value == null) {
            return null;
        }
        if (value instanceof Number number && Math.abs(number.doubleValue()) < END_OF_TIME) {
            return (long) Math.floor(number.doubleValue() * MILLIS);
        }
        throw new BadTokenException("the claim " + claim + " is no time");
    }

    private static @Nullable String name(Map<String, Object> said, String claim) throws BadTokenException {
        Object value = said.get(claim);
        if (value == null) {
            return null;
        }
        // Names get into logs, headers and tables.
        if (value instanceof String name
                && !name.isBlank()
                && name.length() <= LONGEST_NAME
                && name.chars().noneMatch(Character::isISOControl)
                && StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            return name;
        }
        throw new BadTokenException("the claim " + claim + " is no name of up to " + LONGEST_NAME + " characters");
    }

    private static Set<String> scopes(Map<String, Object> said) throws BadTokenException {
        String claim = said.get("scope") == null ? "scp" : "scope";
        Object value = said.get(claim);
        if (value == null) {
            return Set.of();
        }
        if (value instanceof String words) {
            return words(List.of(words.split(" ", -1)));
        }
        if (value instanceof List<?> list && list.stream().allMatch(String.class::isInstance)) {
            return words(list);
        }
        throw new BadTokenException("the claim " + claim + " is no list of words");
    }

    private static Set<String> words(List<?> list) {
        return list.stream()
                .map(String.class::cast)
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }
}
