package dev.weir.app;

import dev.weir.ban.ThrottleEvent;
import dev.weir.ban.ThrottleTally;
import dev.weir.store.Database;
import dev.weir.store.JdbcThrottleHistory;
import dev.weir.store.WriteQueue;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Brings what is throttled from the tally into the history and the log. Its rows have a writer of their own, behind no ban. */
final class ThrottleKeeper {

    /** The kinds of two seconds: the running one, and the one that is being taken away. */
    private static final int MAX_KINDS = 20_000;

    /** How long it is of interest that calls were dropped. */
    private static final long RECENT_NANOS = Duration.ofMinutes(1).toNanos();

    private final ThrottleTally tally;
    private final ThrottleLog log;
    private final WriteQueue queue;
    private final JdbcThrottleHistory history;
    private final LongSupplier nanoClock;

    /** What had been dropped at the last look, and when that was last more than before; null if never. */
    private long droppedBefore;

    private volatile @Nullable Long droppingNanos;

    /**
     * Starts the writer.
     *
     * @param node the name of this Weir
     */
    ThrottleKeeper(Database database, String node, InstantSource clock, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        tally = new ThrottleTally(MAX_KINDS, clock);
        log = new ThrottleLog(nanoClock);
        queue = WriteQueue.dropping(database);
        history = new JdbcThrottleHistory(queue, node);
        Thread writer = new Thread(queue, "weir-throttle-writer");
        writer.setDaemon(true);
        writer.start();
    }

    /** Where throttles are counted. */
    ThrottleTally tally() {
        return tally;
    }

    /** Takes the seconds that are over into the history. To be called once a second, by one thread at a time. */
    void keep() {
        keep(tally.takeFinished());
        long dropped = dropped();
        if (dropped > droppedBefore) {
            droppingNanos = nanoClock.getAsLong();
        }
        droppedBefore = dropped;
    }

    /** Takes the rest into the history and the log, and ends the writer. */
    void close(Duration patience) {
        keep(tally.takeAll());
        log.close();
        history.flush();
        queue.stop(patience);
    }

    /** The calls that the history lacks, because there was no room for their rows. */
    long dropped() {
        return tally.dropped() + history.dropped();
    }

    /** Whether that number has grown in the last minute. */
    boolean isDropping() {
        Long last = droppingNanos;
        return last != null && nanoClock.getAsLong() - last < RECENT_NANOS;
    }

    /** Why rows wait; null if nothing is known to be in the way. */
    @Nullable
    String trouble() {
        return queue.trouble();
    }

    /** The rows that wait to be written, in the queue or before it. */
    int waiting() {
        return queue.length() + history.waiting();
    }

    private void keep(List<ThrottleEvent> events) {
        log.tell(events);
        history.record(events);
    }
}
