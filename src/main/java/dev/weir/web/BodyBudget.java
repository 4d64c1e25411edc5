package dev.weir.web;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that request bodies may take, one and all together, from the first byte of each to the end of its exchange. A great many
 * callers with large bodies, or slow ones, are refused before they exhaust the heap. Safe for use by many threads.
 */
public final class BodyBudget {

    private final int largest;
    private final AtomicLong free;

    /**
     * @param largest the largest body that is accepted, in bytes
     * @param all     how much there is for all of them together
     */
    public BodyBudget(int largest, long all) {
        this.largest = largest;
        this.free = new AtomicLong(all);
    }

    /** The largest body that is accepted, in bytes. */
    int largest() {
        return largest;
    }

    /** Takes so many bytes; false if there are not enough, and then takes none. */
    boolean take(long bytes) {
        long before = free.getAndUpdate(now -> now >= bytes ? now - bytes : now);
        return before >= bytes;
    }

    /** Gives back what was taken. */
    void giveBack(long bytes) {
        free.addAndGet(bytes);
    }
}
