package dev.weir.auth;

import java.security.SecureRandom;
import java.util.Base64;

/**
 * API keys: 256 random bits that are shown once and kept as their SHA-256 only. A key of that strength needs no slow hash, and
 * is looked up by its digest as a whole, so that nothing about it can be learned from how long a look-up takes.
 */
public final class ApiKey {

    private static final String PREFIX = "weir_";
    private static final int BYTES = 32;

    private ApiKey() {}

    /** A new key. */
    public static String make(SecureRandom random) {
        byte[] secret = new byte[BYTES];
        random.nextBytes(secret);
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    }

    /** The digest under which a key is kept: SHA-256 of its UTF-8 bytes, as 64 small hexadecimal digits. */
    public static String digest(String key) {
        return Sha256.hex(key);
    }
}
