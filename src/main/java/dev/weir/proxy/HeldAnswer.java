package dev.weir.proxy;

import java.nio.ByteBuffer;

/** An answer that is held back until it is whole, so that another can still be given until then. For one thread at a time. */
interface HeldAnswer {

    /** Takes a piece of the body; says whether there is to be another one. */
    boolean add(ByteBuffer content);

    /** Gives the answer, which is whole or has been enough. */
    void give(Conclusion conclusion);
}
