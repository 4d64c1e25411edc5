package dev.weir.limit;

/**
 * What a call that was let in still has to do with its buckets: wait until the tokens that it was promised are there, and give
 * its slot among the calls in flight back at its end. Safe for use by many threads.
 */
public interface Reservation {

    /** How long after the charge the call may begin, in nanoseconds; zero for at once. */
    long waitNanos();

    /** Gives the slot back, when the call has ended. Only the first of all {@code release} and {@code cancel} counts. */
    void release();

    /** Gives everything back, slot and tokens of all levels, because the call will never begin. */
    void cancel();
}
