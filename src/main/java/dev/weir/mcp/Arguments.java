package dev.weir.mcp;

import java.nio.CharBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The arguments of one call, as they were sent: a view of the body, which nobody may change any more. Whoever wants to know
 * whether calls were alike compares digests, so that arguments, which may be secret, are kept nowhere. Immutable.
 */
public final class Arguments {

    /** Hexadecimal digits of a digest that tell arguments apart: 64 bits. */
    private static final int DIGITS = 16;

    private final byte[] body;
    private final int from;
    private final int to;

    private Arguments(byte[] body, int from, int to) {
        this.body = body;
        this.from = from;
        this.to = to;
    }

    /**
     * What lies between two characters of a text.
     *
     * @param body the text in UTF-8
     */
    static Arguments of(byte[] body, CharBuffer text, long fromChar, long toChar) {
        if (body.length == text.remaining()) {
            return new Arguments(body, (int) fromChar, (int) toChar);
        }
        int from = Utf8.length(text, 0, (int) fromChar);
        return new Arguments(body, from, from + Utf8.length(text, (int) fromChar, (int) toChar));
    }

    /** The first 16 hexadecimal digits of the SHA-256 of the bytes. */
    public String digest() {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            sha256.update(body, from, to - from);
            return HexFormat.of().formatHex(sha256.digest()).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Arguments that && Arrays.equals(body, from, to, that.body, that.from, that.to);
    }

    @Override
    public int hashCode() {
        return digest().hashCode();
    }

    /** Nothing of what they say. */
    @Override
    public String toString() {
        return "arguments of " + (to - from) + " bytes";
    }
}
