package dev.weir.telemetry;

import dev.weir.mcp.McpMessage;
import dev.weir.mcp.TraceMeta;
import org.jspecify.annotations.Nullable;

/**
 * One request, watched from its arrival to its end. The parts of a request come one after the other, on any threads that see each
 * other's writes.
 */
public final class Observation {

    /** The request attribute that holds it. */
    public static final String ATTRIBUTE = "dev.weir.observation";

    private final Telemetry telemetry;
    private final long arrivedNanos;
    private volatile @Nullable RequestTrace trace;
    private volatile @Nullable String route;
    private volatile boolean longLived;

    Observation(Telemetry telemetry, long arrivedNanos) {
        this.telemetry = telemetry;
        this.arrivedNanos = arrivedNanos;
    }

    /** When something begins that is measured here, on the monotonic clock. */
    public long now() {
        return telemetry.nanos();
    }

    /** What arrives; to be said at once, and only where {@link Telemetry#traces} says so. */
    public void arrived(Arrival arrival) {
        trace = telemetry.trace(arrival, arrivedNanos);
    }

    /**
     * What the request asks for.
     *
     * @param revision the protocol revision that the message names; null for none
     */
    public void read(McpMessage message, @Nullable String revision, TraceMeta itsTrace) {
        RequestTrace traced = trace;
        if (traced != null) {
            traced.read(message, revision, itsTrace);
        }
    }

    /**
     * The gate has decided.
     *
     * @param decision  what, as one word
     * @param prefix    the prefix of the request's route; null if its path belongs to none
     * @param fromNanos when it began to
     */
    public void decided(String decision, @Nullable String prefix, long fromNanos) {
        long now = now();
        route = prefix;
        telemetry.decided(prefix == null ? "" : prefix, decision, now - fromNanos);
        RequestTrace traced = trace;
        if (traced != null) {
            traced.decided(decision, prefix, fromNanos, now);
        }
    }

    /** The level of the limit that has refused it. */
    public void throttled(String level) {
        RequestTrace traced = trace;
        if (traced != null) {
            traced.throttled(level);
        }
    }

    /** The ban that has refused it. */
    public void banned(String banId) {
        RequestTrace traced = trace;
        if (traced != null) {
            traced.banned(banId);
        }
    }

    /** It is being answered with an error of JSON-RPC. */
    public void error(int code) {
        RequestTrace traced = trace;
        if (traced != null) {
            traced.error(code);
        }
    }

    /** It is being answered with the result of a tool that has failed. */
    public void toolError() {
        RequestTrace traced = trace;
        if (traced != null) {
            traced.toolError();
        }
    }

    /** The id of the trace that it belongs to, as it is written; null if nothing is traced. */
    public @Nullable String traceId() {
        RequestTrace traced = trace;
        return traced == null ? null : traced.traceId();
    }

    /**
     * A call to an upstream begins.
     *
     * @param prefix     the prefix of the route
     * @param staysOpen  whether the answer stays open, so that how long it takes says nothing
     */
    public UpstreamObservation call(String prefix, boolean staysOpen) {
        longLived = staysOpen;
        long now = now();
        RequestTrace traced = trace;
        return new UpstreamObservation(telemetry, prefix, staysOpen, now, traced == null ? null : traced.call(now));
    }

    /** The request has ended; to be called once. */
    public void ended(int status) {
        long now = now();
        if (!longLived) {
            telemetry.ended(route, status, now - arrivedNanos);
        }
        RequestTrace traced = trace;
        if (traced != null) {
            traced.ended(status, now);
        }
    }
}
