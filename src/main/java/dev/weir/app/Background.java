package dev.weir.app;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/**
 * The chores of a Weir: those that use the database, on threads of their own, so that a database which does not answer holds up
 * none of the others.
 */
final class Background {

    /** How many chores may wait for the database at the same time. */
    static final int DATABASE_THREADS = 3;

    private final ScheduledExecutorService databaseThreads = threads("weir-database", DATABASE_THREADS);
    private final Housekeeper database = new Housekeeper(databaseThreads, System::nanoTime);
    private final Housekeeper memory = new Housekeeper(threads("weir-chores", 1), System::nanoTime);

    /** Those that use the database. */
    Housekeeper database() {
        return database;
    }

    /** Those that need nothing but memory. */
    Housekeeper memory() {
        return memory;
    }

    /** Does something with the database once, beside whoever asks for it. */
    CompletableFuture<Void> beside(Runnable task) {
        return CompletableFuture.runAsync(task, databaseThreads);
    }

    /** Begins with all that were taken on. */
    void start() {
        database.start();
        memory.start();
    }

    /** Ends after the turns that are under way, for which {@link #awaitEnd} waits. */
    void stop() {
        database.stop();
        memory.stop();
    }

    void awaitEnd(Duration patience) throws InterruptedException {
        memory.awaitEnd(patience);
        database.awaitEnd(patience);
    }

    /** Threads that hold up no end of the process. */
    static ScheduledExecutorService threads(String name, int count) {
        ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(count, runnable -> {
            Thread thread = new Thread(runnable, name);
            thread.setDaemon(true);
            return thread;
        });
        threads.setRemoveOnCancelPolicy(true);
        return threads;
    }
}
