package dev.weir.app;

import dev.weir.proxy.Exchanges;
import dev.weir.settings.Settings;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The end of serving, within a bound: first {@code /ready} says no while all goes on, then calls are waited for, then streams end
 * between two events, and what is left is broken off.
 *
 * <p>Safe for use by many threads; only the first run does anything.
 */
final class GracefulStop {

    /** How long clients of streams may take to read what is on its way to them. */
    private static final Duration LAST_EVENTS = Duration.ofSeconds(1);

    private static final long LOOK_MILLIS = 20;

    private final Exchanges exchanges;
    private final Duration delay;
    private final Duration grace;
    private final LongSupplier nanoClock;
    private volatile boolean begun;

    GracefulStop(Exchanges exchanges, Settings.Stop settings, LongSupplier nanoClock) {
        this.exchanges = exchanges;
        this.delay = Duration.ofSeconds(settings.delaySeconds());
        this.grace = Duration.ofSeconds(settings.graceSeconds());
        this.nanoClock = nanoClock;
    }

    /** Whether it has begun, and new requests had better go elsewhere. */
    boolean hasBegun() {
        return begun;
    }

    /** Does all that; an interrupt ends the waiting. */
    void run() {
        synchronized (this) {
            if (begun) {
                return;
            }
            begun = true;
        }
        try {
            await(() -> false, delay);
            await(() -> exchanges.calls() == 0, grace);
            exchanges.finishStreams();
            await(() -> exchanges.size() == 0, LAST_EVENTS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        exchanges.close();
    }

    private void await(BooleanSupplier condition, Duration most) throws InterruptedException {
        long from = nanoClock.getAsLong();
        while (!condition.getAsBoolean() && nanoClock.getAsLong() - from < most.toNanos()) {
            Thread.sleep(LOOK_MILLIS);
        }
    }
}
