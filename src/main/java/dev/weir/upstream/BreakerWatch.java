package dev.weir.upstream;

import java.time.Duration;

/** Is told of breakers that change their state. Is called by any thread, and has to return at once. */
public interface BreakerWatch {

    /** One that is told and does nothing. */
    BreakerWatch NONE = (route, to, why, rest) -> {};

    /**
     * A breaker has come into another state.
     *
     * @param route the name of its route
     * @param why   what made it open, in words; empty in other states
     * @param rest  how long an open one lets nothing through
     */
    void moved(String route, Breaker.State to, String why, Duration rest);
}
