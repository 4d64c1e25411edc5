package dev.weir.app;

import dev.weir.store.Database;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something that is done again and again in the background. What it throws is logged once for as long as it goes on failing.
 *
 * <p>Safe for use by many threads: one turn comes after the other. What is known of its troubles is told without waiting.
 */
final class Chore implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Chore.class);

    /** Longer than a turn takes whose database answers, also when there is much to read. */
    private static final long SLOW_NANOS = 2_000_000_000;

    private final String name;
    private final Runnable work;
    private final LongSupplier nanoClock;
    private volatile @Nullable String failure;

    /** When the running turn has begun; null while none is running. */
    private volatile @Nullable Long begunNanos;

    Chore(String name, Runnable work, LongSupplier nanoClock) {
        this.name = name;
        this.work = work;
        this.nanoClock = nanoClock;
    }

    /** Takes a turn; never throws. */
    @Override
    public synchronized void run() {
        begunNanos = nanoClock.getAsLong();
        try {
            work.run();
            if (failure != null) {
                LOG.atInfo().addKeyValue("chore", name).log("chore_recovered");
            }
            failure = null;
        } catch (RuntimeException e) {
            if (failure == null) {
                LOG.atError().addKeyValue("chore", name).setCause(e).log("chore_failed");
            }
            failure = Database.reason(e);
        } finally {
            begunNanos = null;
        }
    }

    /** What it is called. */
    String name() {
        return name;
    }

    /** Why the last turn failed, or that the running one does not end; null if all is well. */
    @Nullable
    String trouble() {
        String why = failure;
        if (why != null) {
            return why;
        }
        Long begun = begunNanos;
        return begun != null && nanoClock.getAsLong() - begun > SLOW_NANOS ? "no answer for seconds" : null;
    }
}
