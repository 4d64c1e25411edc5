package dev.weir.telemetry;

import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One call to an upstream, watched from its beginning to its end. */
public final class UpstreamObservation {

    private final Telemetry telemetry;
    private final String route;
    private final boolean staysOpen;
    private final long beganNanos;
    private final @Nullable CallTrace trace;

    UpstreamObservation(
            Telemetry telemetry, String route, boolean staysOpen, long beganNanos, @Nullable CallTrace trace) {
        this.telemetry = telemetry;
        this.route = route;
        this.staysOpen = staysOpen;
        this.beganNanos = beganNanos;
        this.trace = trace;
    }

    /**
     * The header fields that tell the upstream which trace the call belongs to, by their names in lower case; none if it is to be told
     * nothing. Those of the caller that speak of a trace give way to them.
     */
    public Map<String, String> fields() {
        return trace == null ? Map.of() : trace.fields();
    }

    /**
     * The body to send: the same, but for the member that names the trace.
     *
     * @param body what the message was read from
     */
    public byte[] body(byte[] body) {
        return trace == null ? body : trace.naming(body);
    }

    /** It is sent to a target; it may be sent to another one, if this gets nothing of it. */
    public void sending(URI target) {
        if (trace != null) {
            trace.sending(target, telemetry.nanos());
        }
    }

    /** The head of an answer has come. */
    public void answering(int status) {
        if (trace != null) {
            trace.answering(status);
        }
    }

    /** The answer came whole, or as much of it as was wanted. */
    public void answered() {
        end("success", null);
    }

    /**
     * The upstream is at fault.
     *
     * @param why begins with the name of an exception, where there was one
     */
    public void failed(String why) {
        end("failure", why);
    }

    /** It ended, and that says nothing of the upstream. */
    public void left() {
        end("left", null);
    }

    private void end(String outcome, @Nullable String why) {
        long now = telemetry.nanos();
        if (!staysOpen) {
            telemetry.called(route, outcome, now - beganNanos);
        }
        if (trace != null) {
            trace.ended(outcome, why, now);
        }
    }
}
