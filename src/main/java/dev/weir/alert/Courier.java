package dev.weir.alert;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings alerts to one target, one after the other in their order, and tries again what may pass. What there is no room for is dropped and
 * counted. Safe for use by many threads; nobody waits, and no other target does.
 */
final class Courier {

    private static final Logger LOG = LoggerFactory.getLogger(Courier.class);
    private static final Duration TOLD_AGAIN = Duration.ofMinutes(1);

    private record Waiting(Alert alert, long sinceNanos) {}

    private final AlertTarget target;
    private final AlertRules rules;
    private final Postman postman;
    private final ScheduledExecutorService timer;
    private final AlertClocks clocks;
    private final CompletableFuture<Void> rested = new CompletableFuture<>();

    // All below under this object's lock.
    private final Deque<Waiting> queue = new ArrayDeque<>();

    /** Whether an attempt at the first of the queue is under way, or planned. */
    private boolean busy;

    /** Whether it is planned after a pause. */
    private boolean pausing;

    private int attempts;
    private boolean stopping;
    private boolean closed;
    private @Nullable String trouble;
    private long delivered;
    private long failed;
    private long dropped;

    /** The drops that the log has told of, and when it last did; null if never. */
    private long droppedTold;

    private @Nullable Long toldNanos;

    Courier(AlertTarget target, AlertRules rules, Postman postman, AlertThreads threads, AlertClocks clocks) {
        this.target = target;
        this.rules = rules;
        this.postman = postman;
        this.timer = threads.timer();
        this.clocks = clocks;
    }

    /** Takes an alert, or drops it. */
    synchronized void offer(Alert alert) {
        if (closed || queue.size() >= rules.queue()) {
            dropped++;
            return;
        }
        queue.add(new Waiting(alert, clocks.nanos().getAsLong()));
        if (!busy) {
            plan(Duration.ZERO);
        }
    }

    /** Plans the next attempt, if there is anything to deliver. */
    private void plan(Duration pause) {
        busy = !queue.isEmpty();
        pausing = busy && !pause.isZero();
        if (stopping && (!busy || pausing)) {
            rested.complete(null);
        }
        if (busy) {
            try {
                var unused = timer.schedule(this::attempt, pause.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                // The timer has ended, and with it all delivery: what waits is counted at the close.
                rested.complete(null);
            }
        }
    }

    private void attempt() {
        Waiting first;
        synchronized (this) {
            first = queue.peek();
            if (closed || first == null) {
                return;
            }
            pausing = false;
            attempts++;
        }
        // Whatever goes wrong, what waits behind it is not to wait for ever.
        var unused = postman.deliver(target, first.alert())
                .exceptionally(failure ->
                        Result.mayPass("failed: " + failure.getClass().getSimpleName()))
                .thenAccept(result -> settle(first, result));
    }

    private synchronized void settle(Waiting first, Result result) {
        if (closed) {
            return;
        }
        trouble = result.delivered() ? null : result.reason();
        if (result.delivered()) {
            delivered++;
            end(first.alert(), "");
            return;
        }
        Duration pause = pause(result);
        Duration age = Duration.ofNanos(clocks.nanos().getAsLong() - first.sinceNanos());
        boolean again = result.kind() == Result.Kind.MAY_PASS
                && attempts < rules.again().attempts()
                && age.plus(pause).compareTo(rules.again().oldest()) <= 0;
        if (again) {
            plan(pause);
        } else {
            failed++;
            end(first.alert(), result.reason());
        }
    }

    private Duration pause(Result result) {
        Duration own =
                rules.again().pauseAfter(attempts, ThreadLocalRandom.current().nextDouble());
        Duration asked = result.retryAfter();
        if (asked == null || asked.compareTo(own) <= 0) {
            return own;
        }
        Duration longest = rules.again().longestPause();
        return asked.compareTo(longest) < 0 ? asked : longest;
    }

    private void end(Alert alert, String reason) {
        var line = reason.isEmpty() ? LOG.atInfo() : LOG.atWarn().addKeyValue("reason", reason);
        line.addKeyValue("target", target.name())
                .addKeyValue("alert_event", alert.news().event().word())
                .addKeyValue("alert_id", alert.id())
                .addKeyValue("attempts", attempts)
                .log(reason.isEmpty() ? "alert_delivered" : "alert_failed");
        queue.remove();
        attempts = 0;
        plan(Duration.ZERO);
    }

    /** Logs what was dropped since the last time, now and then. */
    synchronized void tellDropped() {
        long now = clocks.nanos().getAsLong();
        Long before = toldNanos;
        if (dropped > droppedTold && (before == null || now - before >= TOLD_AGAIN.toNanos())) {
            logDropped(dropped - droppedTold, "the queue is full");
            droppedTold = dropped;
            toldNanos = now;
        }
    }

    private void logDropped(long number, String why) {
        LOG.atWarn()
                .addKeyValue("target", target.name())
                .addKeyValue("alerts", number)
                .addKeyValue("why", why)
                .log("alerts_dropped");
    }

    /** Begins to end. Done when nothing waits any more but what has failed before. */
    synchronized CompletableFuture<Void> stop() {
        stopping = true;
        if (!busy || pausing) {
            rested.complete(null);
        }
        return rested;
    }

    /** Ends. What waits is dropped. */
    synchronized void close() {
        closed = true;
        rested.complete(null);
        if (!queue.isEmpty()) {
            logDropped(queue.size(), "Weir stops");
            dropped += queue.size();
            queue.clear();
        }
    }

    AlertTarget target() {
        return target;
    }

    /** How it stands, but for what is held back before it comes here. */
    synchronized AlertState state(long heldBack) {
        return new AlertState(target.name(), queue.size(), delivered, failed, dropped, heldBack, trouble);
    }
}
