package dev.weir.limit;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A monotonic clock that a test moves by hand. */
public final class ManualClock implements LongSupplier {

    private final AtomicLong nanos;

    public ManualClock(long origin) {
        this.nanos = new AtomicLong(origin);
    }

    @Override
    public long getAsLong() {
        return nanos.get();
    }

    public void advanceMillis(double millis) {
        nanos.addAndGet(Math.round(millis * 1e6));
    }

    public void advanceNanos(long more) {
        nanos.addAndGet(more);
    }
}
