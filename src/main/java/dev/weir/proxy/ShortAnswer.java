package dev.weir.proxy;

import java.nio.ByteBuffer;

/** The body of an answer that is held back until it is whole, so that it can still be replaced until then. */
final class ShortAnswer {

    private static final byte[] NOTHING = {};

    private final byte[] bytes;
    private int length;

    /** @param length how long it will be */
    ShortAnswer(int length) {
        this.bytes = length == 0 ? NOTHING : new byte[length];
    }

    void add(ByteBuffer content) {
        int more = content.remaining();
        content.duplicate().get(bytes, length, more);
        length += more;
    }

    /** All of it, once it has come whole. */
    byte[] bytes() {
        return bytes;
    }
}
