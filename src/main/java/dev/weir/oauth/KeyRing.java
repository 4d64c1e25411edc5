package dev.weir.oauth;

import dev.weir.auth.TokenCheck;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last good keys of the issuer. They are fetched again now and then, and when somebody misses one, but never more often than
 * the pace allows, whatever is asked for; and they are kept for as long as the issuer is away.
 *
 * <p>Safe for use by many threads. Nobody who asks waits.
 */
final class KeyRing implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(KeyRing.class);

    /** The most doublings of a pause. */
    private static final int DOUBLINGS = 16;

    /**
     * How often the issuer is asked.
     *
     * @param refresh      the pause after keys have come
     * @param apart        the least time between the beginnings of two fetches, if the second is for a key that somebody misses
     * @param patience     how long somebody who misses a key waits for a fetch
     * @param firstPause   the pause after one failure, which doubles with each that follows
     * @param longestPause what that pause grows to
     */
    record Pace(Duration refresh, Duration apart, Duration patience, Duration firstPause, Duration longestPause) {

        /** For a real issuer. */
        static final Pace USUAL = new Pace(
                Duration.ofMinutes(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(3),
                Duration.ofSeconds(1),
                Duration.ofSeconds(30));
    }

    private final Supplier<CompletableFuture<KeySet>> source;
    private final Pace pace;
    private final ScheduledExecutorService timer;
    private final LongSupplier nanoClock;

    private volatile @Nullable KeySet current;
    private volatile long loadedNanos;

    /** Done when nobody is to wait for the running fetch any more; null while none is running. */
    private @Nullable CompletableFuture<Void> running;

    private @Nullable Future<?> next;
    private long begunNanos;
    private volatile int failures;
    private boolean closed;

    /**
     * @param source    fetches the keys; never waits
     * @param timer     what runs the fetches
     * @param nanoClock a monotonic clock in nanoseconds
     */
    KeyRing(
            Supplier<CompletableFuture<KeySet>> source,
            Pace pace,
            ScheduledExecutorService timer,
            LongSupplier nanoClock) {
        this.source = source;
        this.pace = pace;
        this.timer = timer;
        this.nanoClock = nanoClock;
    }

    /** Begins with the first fetch. */
    synchronized void start() {
        if (!closed && running == null) {
            begin();
        }
    }

    /** The last good keys; null if there have never been any. */
    @Nullable
    KeySet current() {
        return current;
    }

    /** Whether the last fetch that has ended has failed. */
    boolean isAway() {
        return failures > 0;
    }

    /** How long ago the last good keys came; null if there have never been any. */
    @Nullable
    Duration age() {
        return current == null ? null : Duration.ofNanos(nanoClock.getAsLong() - loadedNanos);
    }

    /**
     * What becomes of a token whose key is not among those of {@code seen}.
     *
     * @return null if there are other keys by now
     */
    synchronized @Nullable TokenCheck missing(@Nullable KeySet seen) {
        if (!Objects.equals(current, seen)) {
            return null;
        }
        if (running == null
                && !closed
                && nanoClock.getAsLong() - begunNanos >= pace.apart().toNanos()) {
            begin();
        }
        CompletableFuture<Void> fetch = running;
        if (fetch != null && !fetch.isDone() && (current != null || failures == 0)) {
            return new TokenCheck.Later(fetch.copy());
        }
        return current == null
                ? new TokenCheck.Unknown()
                : new TokenCheck.Bad("the token is signed with a key that its issuer does not have");
    }

    private void begin() {
        CompletableFuture<Void> fetch = new CompletableFuture<>();
        running = fetch;
        begunNanos = nanoClock.getAsLong();
        if (next != null) {
            next.cancel(false);
        }
        var unused = timer.schedule(() -> fetch.complete(null), pace.patience().toNanos(), TimeUnit.NANOSECONDS);
        timer.execute(() -> run(fetch));
    }

    private void run(CompletableFuture<Void> fetch) {
        CompletableFuture<KeySet> keys;
        try {
            keys = source.get();
        } catch (RuntimeException e) {
            keys = CompletableFuture.failedFuture(e);
        }
        var unused = keys.whenComplete((set, failure) -> {
            ended(set, failure);
            fetch.complete(null);
        });
    }

    private synchronized void ended(@Nullable KeySet set, @Nullable Throwable failure) {
        running = null;
        if (closed) {
            return;
        }
        Duration pause;
        if (set != null) {
            took(set);
            pause = pace.refresh();
        } else {
            pause = failed(failure);
        }
        next = timer.schedule(this::start, pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void took(KeySet set) {
        loadedNanos = nanoClock.getAsLong();
        if (failures > 0) {
            LOG.atInfo().addKeyValue("keys", set.size()).log("issuer_back");
        }
        failures = 0;
        // The same keys stay the same object, so that what was checked with them stays checked.
        if (!set.equals(current)) {
            LOG.atInfo().addKeyValue("keys", set.size()).log("issuer_keys");
            current = set;
        }
    }

    private Duration failed(@Nullable Throwable failure) {
        int before = failures;
        Duration pause = pace.firstPause().multipliedBy(1L << Math.min(before, DOUBLINGS));
        if (before == 0) {
            LOG.atWarn()
                    .addKeyValue("reason", reason(failure))
                    .addKeyValue("keys_kept", current != null)
                    .log("issuer_unreachable");
        }
        failures = before + 1;
        return pause.compareTo(pace.longestPause()) < 0 ? pause : pace.longestPause();
    }

    private static String reason(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause == null) {
            return "no answer";
        }
        Throwable inner = cause.getCause();
        return cause.getMessage() + (inner == null ? "" : ": " + inner.getMessage());
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.cancel(false);
        }
    }
}
