package dev.weir.telemetry;

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

    /**
     * The gate has decided.
     *
     * @param decision  what, as one word
     * @param prefix    the prefix of the request's route; null if its path belongs to none
     * @param fromNanos when it began to
     */
    public void decided(String decision, @Nullable String prefix, long fromNanos) {
        route = prefix;
        telemetry.decided(prefix == null ? "" : prefix, decision, now() - fromNanos);
    }

    /**
     * A call to an upstream begins.
     *
     * @param prefix     the prefix of the route
     * @param staysOpen  whether the answer stays open, so that how long it takes says nothing
     */
    public UpstreamObservation call(String prefix, boolean staysOpen) {
        longLived = staysOpen;
        return new UpstreamObservation(telemetry, prefix, staysOpen);
    }

    /** The request has ended; to be called once. */
    public void ended(int status) {
        if (!longLived) {
            telemetry.ended(route, status, now() - arrivedNanos);
        }
    }
}
