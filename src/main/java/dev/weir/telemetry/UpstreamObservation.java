package dev.weir.telemetry;

/** One call to an upstream, watched from its beginning to its end. */
public final class UpstreamObservation {

    private final Telemetry telemetry;
    private final String route;
    private final boolean staysOpen;
    private final long beganNanos;

    UpstreamObservation(Telemetry telemetry, String route, boolean staysOpen) {
        this.telemetry = telemetry;
        this.route = route;
        this.staysOpen = staysOpen;
        this.beganNanos = telemetry.nanos();
    }

    /** The answer came whole, or as much of it as was wanted. */
    public void answered() {
        end("success");
    }

    /** The upstream is at fault. */
    public void failed() {
        end("failure");
    }

    /** It ended, and that says nothing of the upstream. */
    public void left() {
        end("left");
    }

    private void end(String outcome) {
        if (!staysOpen) {
            telemetry.called(route, outcome, telemetry.nanos() - beganNanos);
        }
    }
}
