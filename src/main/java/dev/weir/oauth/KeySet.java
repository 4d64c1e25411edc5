package dev.weir.oauth;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the issuer at one time, as far as tokens can be verified with them. Immutable; equal to another of the same keys.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7517#section-5">RFC 7517, 5: JWK Set format</a>
 */
final class KeySet {

    /** What came of looking for the key that has signed a token. */
    enum Answer {
        GOOD,
        BAD,
        /** None of the keys, but there may be another by now. */
        UNKNOWN_KEY
    }

    /** More than any issuer has. Each may have to be tried, where a token does not say which. */
    private static final int MOST_KEYS = 100;

    private final List<IssuerKey> keys;

    private KeySet(List<IssuerKey> keys) {
        this.keys = List.copyOf(keys);
    }

    /**
     * Takes the keys that are of use from a JWK set.
     *
     * @throws IOException if it cannot be read, or has no such key
     */
    static KeySet parse(String json) throws IOException {
        List<IssuerKey> keys = new ArrayList<>();
        for (Map<String, Object> each : all(Document.read(json, "its JWK set"))) {
            IssuerKey key = key(each);
            if (key != null) {
                keys.add(key);
            }
        }
        if (keys.isEmpty()) {
            throw new IOException("its JWK set has no key that a token could be verified with");
        }
        return new KeySet(keys);
    }

    private static Map<String, Object>[] all(Map<String, Object> set) throws IOException {
        try {
            Map<String, Object>[] all = JSONObjectUtils.getJSONObjectArray(set, "keys");
            if (all != null && all.length <= MOST_KEYS) {
                return all;
            }
            throw new IOException("its JWK set has no keys, or more than " + MOST_KEYS);
        } catch (ParseException e) {
            throw new IOException("its JWK set has no array of keys", e);
        }
    }

    private static @Nullable IssuerKey key(Map<String, Object> json) {
        try {
            return IssuerKey.of(JWK.parse(json));
        } catch (ParseException | RuntimeException e) {
            // Of a kind that is not known here, or broken: the others are of use all the same.
            return null;
        }
    }

    int size() {
        return keys.size();
    }

    /** Looks for the key that has signed a token. */
    Answer verify(JWSObject token) {
        JWSHeader header = token.getHeader();
        boolean named = false;
        for (IssuerKey key : keys) {
            if (key.isNamedBy(header)) {
                if (key.verifies(token)) {
                    return Answer.GOOD;
                }
                named = true;
            }
        }
        return named && header.getKeyID() != null ? Answer.BAD : Answer.UNKNOWN_KEY;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KeySet set && keys.equals(set.keys);
    }

    @Override
    public int hashCode() {
        return keys.hashCode();
    }
}
