package dev.weir.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes that must not be waited for: taken at once, committed one group after the other on one thread, and tried again until
 * the database takes them. A queue has a thread and transactions of its own, so that what waits in one holds up no other.
 *
 * <p>The thread is handed in: somebody runs this once, and ends it by {@link #stop}, never by an interrupt, at which H2 would
 * close its file. Safe for use by many threads.
 */
public final class WriteQueue implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(WriteQueue.class);
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(2);

    /** Something to write, inside a transaction that it may share with others. May be run again after a failure. */
    interface Write {

        /** Writes. */
        void to(Handle handle);
    }

    /** What becomes of a write that the database answers, but does not take because the data are bad. */
    private enum Refused {
        /** It waits until it is taken, because nothing may be lost. */
        WAITS,
        /** It is given up. */
        DROPPED
    }

    private record Pending(String what, Write write, CompletableFuture<Void> committed) {}

    private final Jdbi jdbi;
    private final Refused refused;
    private final String afterCommit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final CountDownLatch finished = new CountDownLatch(1);

    /** What has been taken and is neither committed nor given up. */
    private final AtomicInteger length = new AtomicInteger();

    /** What has not been taken up yet. Not bounded: whoever adds what may be dropped sees to it that it does not grow. */
    private final List<Pending> waiting = new ArrayList<>();

    /** What has been taken up and is not committed. Used by the running thread only. */
    private final List<Pending> due = new ArrayList<>();

    private boolean started;
    private boolean stopping;

    /** Whether the last were taken up. Written by the running thread only, under the lock. */
    private boolean ended;

    /** Whether the database did not answer the last time. Used by the running thread only. */
    private boolean away;

    private volatile @Nullable String trouble;

    private WriteQueue(Jdbi jdbi, Refused refused, String afterCommit) {
        this.jdbi = jdbi;
        this.refused = refused;
        this.afterCommit = afterCommit;
    }

    /** A queue for what must not be lost, even if the power fails after a commit. */
    public static WriteQueue keeping(Database database) {
        return new WriteQueue(database.jdbi(), Refused.WAITS, database.afterCommit());
    }

    /** A queue for what is better lost than a burden: what the database refuses is given up, and a commit is left at that. */
    public static WriteQueue dropping(Database database) {
        return new WriteQueue(database.jdbi(), Refused.DROPPED, "");
    }

    /** How many writes have been taken and are neither committed nor given up. */
    public int length() {
        return length.get();
    }

    /** Why what has been taken is not committed, as one line for people; null if nothing is known to be in the way. */
    public @Nullable String trouble() {
        return trouble;
    }

    /**
     * Takes a write.
     *
     * @param what what is written, for the log
     * @return done when it is committed, on the thread of this queue; fails only if it is given up
     */
    CompletionStage<Void> add(String what, Write write) {
        Pending pending = new Pending(what, write, new CompletableFuture<>());
        length.incrementAndGet();
        lock.lock();
        try {
            if (ended) {
                log.atError()
                        .addKeyValue("write", what)
                        .addKeyValue("why", "it came after the end")
                        .log("write_lost");
            }
            waiting.add(pending);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        return pending.committed();
    }

    /** Commits what comes until {@link #stop}; at the end, tries what is left once more. */
    @Override
    public void run() {
        boolean last;
        long pause = 0;
        try {
            do {
                last = takeUp(pause);
                boolean written = commit();
                pause = written ? 0 : Math.max(FIRST_PAUSE, Math.min(2 * pause, LONGEST_PAUSE));
            } while (!last);
            due.forEach(pending -> log.atError()
                    .addKeyValue("write", pending.what())
                    .addKeyValue("why", "it could not be written before the end")
                    .log("write_lost"));
        } finally {
            finished.countDown();
        }
    }

    /**
     * Ends the run after one more attempt at what is left.
     *
     * @return whether everything was committed in time
     */
    public boolean stop(Duration deadline) {
        lock.lock();
        try {
            stopping = true;
            changed.signalAll();
            if (!started && waiting.isEmpty()) {
                return true;
            }
        } finally {
            lock.unlock();
        }
        try {
            return finished.await(deadline.toNanos(), TimeUnit.NANOSECONDS) && due.isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Waits for something to write, and after a failure for the pause to be over; answers whether this is the last time. */
    private boolean takeUp(long pause) {
        lock.lock();
        try {
            started = true;
            long left = pause;
            // While the database is away, newcomers wait out the pause with the others. A row that it does not take
            // holds up nobody but itself.
            while (!stopping && (left > 0 ? away || waiting.isEmpty() : waiting.isEmpty() && due.isEmpty())) {
                if (left > 0) {
                    left = changed.awaitNanos(left);
                } else {
                    changed.await();
                }
            }
        } catch (InterruptedException e) {
            log.atWarn().log("write_queue_interrupted");
            stopping = true;
        } finally {
            due.addAll(waiting);
            waiting.clear();
            ended = stopping;
            lock.unlock();
        }
        return ended;
    }

    private boolean commit() {
        if (due.isEmpty()) {
            return true;
        }
        try {
            commit(handle -> due.forEach(pending -> pending.write().to(handle)));
        } catch (RuntimeException e) {
            if (isRefusal(e)) {
                return commitEach();
            }
            failed(e);
            return false;
        }
        answered();
        length.addAndGet(-due.size());
        due.forEach(pending -> pending.committed().complete(null));
        due.clear();
        trouble = null;
        return true;
    }

    /** One by one, because the database is there but does not take one of them. */
    private boolean commitEach() {
        for (Iterator<Pending> all = due.iterator(); all.hasNext(); ) {
            Pending pending = all.next();
            try {
                commit(pending.write());
                all.remove();
                length.decrementAndGet();
                pending.committed().complete(null);
            } catch (RuntimeException e) {
                if (!isRefusal(e)) {
                    failed(e);
                    return false;
                }
                trouble = DatabaseKind.reason(e);
                log.atError()
                        .addKeyValue("write", pending.what())
                        .addKeyValue("reason", trouble)
                        .log("write_refused");
                if (refused == Refused.DROPPED) {
                    all.remove();
                    length.decrementAndGet();
                    pending.committed().completeExceptionally(e);
                }
            }
        }
        answered();
        if (due.isEmpty()) {
            trouble = null;
        }
        return due.isEmpty();
    }

    private void commit(Write write) {
        jdbi.useHandle(handle -> {
            handle.useTransaction(write::to);
            if (!afterCommit.isEmpty()) {
                handle.execute(afterCommit);
            }
        });
    }

    /** Whether the database answered, and said that the data are bad (SQLSTATE classes 22 and 23). */
    private static boolean isRefusal(RuntimeException failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql) {
                String state = String.valueOf(sql.getSQLState());
                return state.startsWith("22") || state.startsWith("23");
            }
        }
        return false;
    }

    private void failed(RuntimeException e) {
        if (!away) {
            log.atWarn()
                    .addKeyValue("writes", due.size())
                    .addKeyValue("reason", DatabaseKind.reason(e))
                    .log("database_away");
        }
        trouble = DatabaseKind.reason(e);
        away = true;
    }

    private void answered() {
        if (away) {
            log.atInfo().addKeyValue("writes", due.size()).log("database_back");
        }
        away = false;
    }
}
