package dev.weir.proxy;

import java.nio.ByteBuffer;

/** An answer without a body, whatever length it names: that to a HEAD, or one that says so by its status. */
record BodilessAnswer(AnswerHead head) implements HeldAnswer {

    @Override
    public boolean add(ByteBuffer content) {
        return true;
    }

    @Override
    public void give(Conclusion conclusion) {
        conclusion.deliverHead(head);
    }
}
