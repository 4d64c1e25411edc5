package dev.weir.proxy;

import java.nio.ByteBuffer;

/** An answer with so few bytes that the container takes them without waiting for the client. */
final class ShortAnswer implements HeldAnswer {

    private static final byte[] NOTHING = {};

    private final AnswerHead head;
    private final byte[] bytes;
    private int length;

    /** @param length how long it will be */
    ShortAnswer(AnswerHead head, int length) {
        this.head = head;
        this.bytes = length == 0 ? NOTHING : new byte[length];
    }

    @Override
    public boolean add(ByteBuffer content) {
        int more = content.remaining();
        content.duplicate().get(bytes, length, more);
        length += more;
        return true;
    }

    @Override
    public void give(Conclusion conclusion) {
        conclusion.deliver(head, bytes);
    }
}
