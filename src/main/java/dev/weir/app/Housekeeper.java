package dev.weir.app;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does what has to be done again and again, off the path of requests. */
final class Housekeeper {

    private static final Logger LOG = LoggerFactory.getLogger(Housekeeper.class);

    private final ScheduledExecutorService executor;

    Housekeeper(ScheduledExecutorService executor) {
        this.executor = executor;
    }

    /**
     * Does a chore now and then. What it throws is logged once for as long as it goes on failing, and it is tried again at its
     * next turn.
     *
     * @param name what the chore is called in the log
     * @param pause the time between the end of one turn and the next
     * @return does the chore now, for whoever knows that there is something to do; never at the same time as another turn
     */
    Runnable every(Duration pause, String name, Runnable chore) {
        Runnable turn = new Runnable() {
            private boolean failing;

            @Override
            public synchronized void run() {
                try {
                    chore.run();
                    if (failing) {
                        LOG.atInfo().addKeyValue("chore", name).log("chore_recovered");
                    }
                    failing = false;
                } catch (RuntimeException e) {
                    if (!failing) {
                        LOG.atError().addKeyValue("chore", name).setCause(e).log("chore_failed");
                    }
                    failing = true;
                }
            }
        };
        var unused = executor.scheduleWithFixedDelay(turn, pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
        return turn;
    }
}
