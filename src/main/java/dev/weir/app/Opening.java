package dev.weir.app;

import dev.weir.store.Database;
import dev.weir.store.DatabaseUnavailableException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what has to be done with the database before anything can be served, and does it again, after a pause that grows, until
 * it has worked. Each reason why it does not is logged once. Safe for use by many threads.
 */
final class Opening implements AutoCloseable {

    /** All of it. What has been done before an exception is not undone, so it may be run again. */
    interface Work {
        void run() throws DatabaseUnavailableException;
    }

    /** Why nobody is served while the first attempt is under way. */
    static final String UNDER_WAY = "the database is being opened";

    private static final Logger LOG = LoggerFactory.getLogger(Opening.class);
    private static final long FIRST_PAUSE_MILLIS = 250;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(1);

    private final Work work;
    private final Thread thread = new Thread(this::keepTrying, "weir-opening");
    private final CountDownLatch tried = new CountDownLatch(1);
    private final CountDownLatch stop = new CountDownLatch(1);
    private volatile @Nullable String missing = UNDER_WAY;

    /** What was logged last, without its digits, because some reasons say how long they waited. */
    private String told = "";

    Opening(Work work) {
        this.work = work;
        thread.setDaemon(true);
    }

    /** Begins with the first attempt. */
    void start() {
        thread.start();
    }

    /** Waits for the end of the first attempt, or as long as the patience lasts. */
    void await(Duration patience) {
        try {
            var unused = tried.await(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Why it has not worked yet, as one sentence without secrets; null if it has. */
    @Nullable
    String missing() {
        return missing;
    }

    /** Ends the attempts. One that is under way does no more harm once the database is closed. */
    @Override
    public void close() {
        stop.countDown();
        try {
            thread.join(STOP_PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void keepTrying() {
        long pause = FIRST_PAUSE_MILLIS;
        while (!isDone() && !isStopped(pause)) {
            pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        }
    }

    private boolean isDone() {
        try {
            work.run();
            missing = null;
        } catch (DatabaseUnavailableException e) {
            failed(String.valueOf(e.getMessage()), null);
        } catch (RuntimeException e) {
            failed("the database cannot be read: " + Database.reason(e), e);
        } finally {
            tried.countDown();
        }
        return missing == null;
    }

    private boolean isStopped(long afterMillis) {
        try {
            return stop.await(afterMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    private void failed(String reason, @Nullable RuntimeException cause) {
        missing = reason;
        String kind = reason.replaceAll("[0-9]", "");
        if (!kind.equals(told)) {
            told = kind;
            LOG.atWarn().addKeyValue("reason", reason).setCause(cause).log("database_away_at_start");
        }
    }
}
