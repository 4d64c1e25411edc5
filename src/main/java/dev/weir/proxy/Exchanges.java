package dev.weir.proxy;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * All exchanges under way, and the clock for their limits. There is no thread and no timer for each; instead one
 * {@link #sweep} looks at them all, so a limit is kept to within the time between two sweeps.
 *
 * <p>Safe for use by many threads, but only one may sweep at a time.
 */
public final class Exchanges implements AutoCloseable {

    private final Set<Exchange> live = ConcurrentHashMap.newKeySet();
    private final LongSupplier nanoClock;
    private final long commentNanos;
    private volatile boolean closed;

    /**
     * @param nanoClock    a monotonic clock, in nanoseconds
     * @param commentAfter how long a stream of events may be silent before a comment is sent to the client, which keeps its
     *                     connection open and shows whether it is still there
     */
    public Exchanges(LongSupplier nanoClock, Duration commentAfter) {
        this.nanoClock = nanoClock;
        this.commentNanos = commentAfter.toNanos();
    }

    /** How many exchanges are under way. */
    public int size() {
        return live.size();
    }

    /** How many of them are calls, and so end by themselves before long. */
    public int calls() {
        return (int) live.stream().filter(exchange -> !exchange.isLongLived()).count();
    }

    /** Ends all streams of events, each once it stands between two events. */
    public void finishStreams() {
        live.forEach(Exchange::finish);
    }

    /** Ends what is overdue, and sends comments on silent streams. To be called about twice a second. */
    public void sweep() {
        for (Exchange exchange : live) {
            exchange.check(nanoClock.getAsLong());
        }
    }

    /** Ends all exchanges; new ones are answered 503 from now on. */
    @Override
    public void close() {
        closed = true;
        for (Exchange exchange : live) {
            exchange.fail(ProxyError.BUSY, new IOException("stopping"));
        }
    }

    /** Takes an exchange in, or says no after the close. */
    boolean add(Exchange exchange) {
        live.add(exchange);
        // Looked at after adding, so that a close at this moment either sees the exchange or is seen here.
        return !closed;
    }

    void remove(Exchange exchange) {
        live.remove(exchange);
    }

    long nanos() {
        return nanoClock.getAsLong();
    }

    long commentNanos() {
        return commentNanos;
    }
}
