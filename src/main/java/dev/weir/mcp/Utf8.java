package dev.weir.mcp;

import java.nio.CharBuffer;

/** Finds in a text of bytes what was found in the same text of characters. */
final class Utf8 {

    private Utf8() {}

    /** How many bytes the characters from one to another are. */
    static int length(CharBuffer text, int from, int to) {
        int bytes = 0;
        for (int i = from; i < to; i++) {
            char c = text.get(text.position() + i);
            // Each half of a surrogate pair stands for two of its four bytes.
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }
}
