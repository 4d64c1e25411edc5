package dev.weir.run.storm;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls one tool at a fixed pace, whatever the answers are and however late they come.
 *
 * <p>Call number n is due n intervals after the start, so one that goes out late does not put off the next. Only a
 * ceiling on the calls in flight keeps one back, and then it is not sent at all. For use by one thread.
 */
final class Storm {

    /** How long, at the end, the last answers are waited for. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final int MAX_IN_FLIGHT = 10_000;

    /** How far the calling may run over its time when the machine is too slow for the rate. */
    private static final long OVERTIME_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Agent agent;
    private final Plan plan;
    private final Duration patience;
    private final Semaphore slots = new Semaphore(MAX_IN_FLIGHT);

    Storm(Agent agent, Plan plan, Duration patience) {
        this.agent = agent;
        this.plan = plan;
        this.patience = patience;
    }

    /** Rages, and writes to {@code out} the first answer of each kind as it comes and the sums at the end. */
    void run(PrintWriter out) throws InterruptedException {
        out.printf(
                "Calling [%s] %d times a second for %d s at %s%n",
                plan.call().name(), plan.rate(), plan.seconds(), plan.url());
        out.flush();
        long start = System.nanoTime();
        Tally tally = new Tally(start, line -> {
            out.println(line);
            out.flush();
        });
        callAll(start, tally);
        // Every slot is free again when every call has been answered.
        boolean unused = slots.tryAcquire(MAX_IN_FLIGHT, patience.toNanos(), TimeUnit.NANOSECONDS);
        out.print(Summary.of(tally.close(), plan.calls(), System.nanoTime() - start));
        out.flush();
    }

    private void callAll(long start, Tally tally) throws InterruptedException {
        long end = TimeUnit.SECONDS.toNanos(plan.seconds());
        for (long n = 0; n < plan.calls(); n++) {
            long due = n * end / plan.calls();
            if (System.nanoTime() - start > end + OVERTIME_NANOS) {
                return;
            }
            waitUntil(start + due);
            call(tally);
        }
    }

    private void call(Tally tally) {
        if (!slots.tryAcquire()) {
            return;
        }
        long sentAt = System.nanoTime();
        tally.sent();
        agent.call(plan.call())
                .doFinally(end -> slots.release())
                .subscribe(answer -> tally.answered(answer, sentAt, System.nanoTime()));
    }

    private static void waitUntil(long instant) throws InterruptedException {
        long left = instant - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            left = instant - System.nanoTime();
        }
    }
}
