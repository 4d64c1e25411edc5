package dev.weir.ban;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The principals that have strikes inside the window. Safe for use by many threads. */
final class Offenders {

    private final int max;
    private final ConcurrentMap<String, Strikes> all = new ConcurrentHashMap<>();
    private final LongAdder uncounted = new LongAdder();

    /** @param max the most principals whose strikes are counted at once; a few more may slip in together */
    Offenders(int max) {
        this.max = max;
    }

    /**
     * The strikes of a principal, to be used under their own lock and not once they are retired; null if there is no room for
     * them, which is counted.
     */
    @Nullable
    Strikes of(String principal) {
        Strikes own = all.get(principal);
        if (own != null) {
            return own;
        }
        if (all.size() >= max) {
            uncounted.increment();
            return null;
        }
        return all.computeIfAbsent(principal, p -> new Strikes());
    }

    /** The strikes of a principal; null if it has none. */
    @Nullable
    Strikes find(String principal) {
        return all.get(principal);
    }

    /** Whether a strike of a principal would be counted. */
    boolean hasRoom(String principal) {
        return all.containsKey(principal) || all.size() < max;
    }

    /** Lets a principal begin anew. To be called under the lock of its strikes. */
    void retire(String principal, Strikes own) {
        own.retire();
        all.remove(principal, own);
    }

    /** Forgets the strikes that have slid out of the window. */
    void sweep(LongSupplier nanoClock, long windowNanos) {
        all.forEach((principal, own) -> {
            synchronized (own) {
                if (own.inWindow(nanoClock.getAsLong(), windowNanos) == 0) {
                    retire(principal, own);
                }
            }
        });
    }

    /** How many throttles were not counted because there were too many offenders. */
    long uncounted() {
        return uncounted.sum();
    }
}
