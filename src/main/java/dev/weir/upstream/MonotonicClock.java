package dev.weir.upstream;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.LongSupplier;

/**
 * A monotonic clock in the shape of a wall clock, for a library that asks for one: its instants say how much time has gone by
 * since it was made, counted from the epoch, and never go back.
 */
final class MonotonicClock extends Clock {

    private final LongSupplier nanoClock;
    private final long start;

    /** @param nanoClock in nanoseconds */
    MonotonicClock(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.start = nanoClock.getAsLong();
    }

    @Override
    public Instant instant() {
        return Instant.EPOCH.plusNanos(nanoClock.getAsLong() - start);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
