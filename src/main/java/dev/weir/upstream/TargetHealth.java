package dev.weir.upstream;

import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What calls and checks have said of one target of one route: whether it is up. It goes down after some failures in a row, and comes
 * back with the first good answer. Where nobody asks a target that is down, one call at a time finds out after a pause.
 *
 * <p>Safe for use by many threads.
 */
final class TargetHealth {

    private static final Logger LOG = LoggerFactory.getLogger(TargetHealth.class);

    private final String route;
    private final URI target;
    private final TargetRule rule;
    private final LongSupplier nanoClock;
    private final InstantSource wallClock;

    private int failedCalls;
    private int failedChecks;
    private boolean up = true;
    private boolean trying;
    private long tryAt;
    private Instant since;
    private String reason = "nothing has failed";

    TargetHealth(String route, URI target, TargetRule rule, LongSupplier nanoClock, InstantSource wallClock) {
        this.route = route;
        this.target = target;
        this.rule = rule;
        this.nanoClock = nanoClock;
        this.wallClock = wallClock;
        this.since = wallClock.instant();
    }

    synchronized boolean isUp() {
        return up;
    }

    /**
     * Whether a call may be sent there. Whoever is told so of a target that is down has to tell how the call went.
     *
     * @param asked whether somebody asks the target, so that no call has to find out
     */
    synchronized boolean takes(boolean asked) {
        if (up) {
            return true;
        }
        if (asked || trying || nanoClock.getAsLong() - tryAt < 0) {
            return false;
        }
        trying = true;
        return true;
    }

    /** A call or a check has got a good answer. */
    synchronized void succeeded(String by) {
        failedCalls = 0;
        failedChecks = 0;
        trying = false;
        if (!up) {
            up = true;
            since = wallClock.instant();
            reason = by;
            LOG.atInfo()
                    .addKeyValue("route", route)
                    .addKeyValue("target", target)
                    .addKeyValue("by", by)
                    .log("upstream_up");
        }
    }

    /** A call has failed, and the target is to blame. */
    synchronized void callFailed(String why) {
        failedCalls++;
        failed(failedCalls >= rule.calls(), "calls: " + why);
    }

    /** A check has failed. */
    synchronized void checkFailed(String why) {
        failedChecks++;
        failed(failedChecks >= rule.checks(), "check: " + why);
    }

    /** A call ended that says nothing of the target. */
    synchronized void callLeft() {
        trying = false;
    }

    private void failed(boolean enough, String why) {
        trying = false;
        tryAt = nanoClock.getAsLong() + rule.pause().toNanos();
        if (up && enough) {
            up = false;
            since = wallClock.instant();
            reason = why;
            LOG.atWarn()
                    .addKeyValue("route", route)
                    .addKeyValue("target", target)
                    .addKeyValue("by", why)
                    .log("upstream_down");
        }
    }

    synchronized Targets.State state() {
        return new Targets.State(route, target, up, since, reason);
    }
}
