package dev.weir.app;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Does chores now and then, off the path of requests, on threads that are handed in. */
final class Housekeeper {

    private record Turn(Chore chore, Duration pause) {}

    private final ScheduledExecutorService executor;
    private final LongSupplier nanoClock;
    private final List<Turn> turns = new ArrayList<>();

    /**
     * @param executor  as many threads as chores may be done at the same time
     * @param nanoClock a monotonic clock in nanoseconds
     */
    Housekeeper(ScheduledExecutorService executor, LongSupplier nanoClock) {
        this.executor = executor;
        this.nanoClock = nanoClock;
    }

    /**
     * Takes a chore on. All are to be taken on before {@link #start}.
     *
     * @param pause the time between the end of one turn and the next
     * @param name  what the chore is called in the log
     * @return the chore, for whoever knows that there is something to do now
     */
    Chore every(Duration pause, String name, Runnable work) {
        Chore chore = new Chore(name, work, nanoClock);
        turns.add(new Turn(chore, pause));
        return chore;
    }

    /** Begins, with the first turn of each chore after its pause. */
    void start() {
        for (Turn turn : turns) {
            long pause = turn.pause().toMillis();
            var unused = executor.scheduleWithFixedDelay(turn.chore(), pause, pause, TimeUnit.MILLISECONDS);
        }
    }

    /** All chores, in the order in which they were taken on. */
    List<Chore> chores() {
        return turns.stream().map(Turn::chore).toList();
    }

    /** Ends after the turns that are under way. */
    void stop() {
        executor.shutdown();
    }

    /** Waits for the turns that are under way. None is interrupted, because H2 closes its file at an interrupt. */
    void awaitEnd(Duration patience) throws InterruptedException {
        var unused = executor.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS);
    }
}
