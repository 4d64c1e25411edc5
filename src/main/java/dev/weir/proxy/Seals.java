package dev.weir.proxy;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Seals over what Weir tells a client and has to believe when it comes back: an HMAC-SHA256 of a list of texts, under one key. What has
 * the right seal was told by somebody who has the key, whenever and by whichever node, and nothing has to be remembered for it.
 *
 * <p>The key may come later than this object, but before anything is sealed. Safe for use by many threads.
 */
public final class Seals {

    /** How many characters a seal has, all of them letters, digits, hyphens and underscores. */
    static final int LENGTH = 43;

    private static final String ALGORITHM = "HmacSHA256";
    private static final int SHORTEST_KEY = 32;

    private volatile @Nullable SecretKeySpec key;

    /**
     * Sets the key.
     *
     * @param secret at least 32 bytes, which are copied; who has them can make seals that Weir believes in
     */
    public void use(byte[] secret) {
        if (secret.length < SHORTEST_KEY) {
            throw new IllegalArgumentException("a key of " + secret.length + " bytes is too short");
        }
        key = new SecretKeySpec(secret, ALGORITHM);
    }

    /**
     * The seal of a list of texts.
     *
     * @param purpose what the seal is for: one for another purpose does not fit
     * @param parts   all that is said by it; an absent one is another than an empty one
     */
    String of(String purpose, @Nullable String... parts) {
        SecretKeySpec secret = key;
        if (secret == null) {
            throw new IllegalStateException("there is no key yet");
        }
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            update(mac, purpose);
            for (String part : parts) {
                update(mac, part);
            }
            return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }

    /** Whether a text is the seal of these; how long that takes says nothing of the right one. */
    boolean fits(String seal, String purpose, @Nullable String... parts) {
        return MessageDigest.isEqual(
                seal.getBytes(StandardCharsets.UTF_8), of(purpose, parts).getBytes(StandardCharsets.UTF_8));
    }

    /** Each with its length, so that no two lists of parts are one text. */
    private static void update(Mac mac, @Nullable String part) {
        byte[] bytes = part == null ? new byte[0] : part.getBytes(StandardCharsets.UTF_8);
        mac.update((part == null ? "-" : bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
        mac.update(bytes);
    }
}
