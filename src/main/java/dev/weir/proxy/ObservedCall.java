package dev.weir.proxy;

import dev.weir.telemetry.UpstreamObservation;
import dev.weir.upstream.CallWatch;

/** Tells an observation how a call to an upstream goes; an answer that is an error of the server is a failure of it. */
final class ObservedCall implements CallWatch {

    private final UpstreamObservation observation;
    private volatile int status;

    ObservedCall(UpstreamObservation observation) {
        this.observation = observation;
    }

    @Override
    public void answering(int answered) {
        status = answered;
        observation.answering(answered);
    }

    @Override
    public void streaming() {
        // How long it takes is told at its end.
    }

    @Override
    public void answered() {
        if (status < 500) {
            observation.answered();
        } else {
            observation.failed("status " + status);
        }
    }

    @Override
    public void failed(String why) {
        observation.failed(why);
    }

    @Override
    public void left() {
        observation.left();
    }
}
