package dev.weir.telemetry;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches requests, each by an {@link Observation}, and keeps how long they, the decisions on them and their upstreams take, as
 * histograms. No client is ever a label. Safe for use by many threads.
 */
public final class Telemetry {

    private static final Duration[] DECIDE = {
        Duration.ofNanos(1_000),
        Duration.ofNanos(2_500),
        Duration.ofNanos(5_000),
        Duration.ofNanos(10_000),
        Duration.ofNanos(25_000),
        Duration.ofNanos(50_000),
        Duration.ofNanos(100_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofMillis(10),
        Duration.ofMillis(100)
    };

    private static final Duration[] EXCHANGE = {
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofSeconds(60)
    };

    private final LongSupplier nanoClock;
    private final @Nullable Tracing tracing;
    private final Timers decide;
    private final Timers upstream;
    private final Timers request;

    /**
     * @param registry  where the histograms are kept
     * @param nanoClock a monotonic clock, in nanoseconds
     * @param tracing   makes spans of all that is seen; null for nobody
     */
    public Telemetry(MeterRegistry registry, LongSupplier nanoClock, @Nullable Tracing tracing) {
        this.nanoClock = nanoClock;
        this.tracing = tracing;
        if (tracing != null) {
            tracing.countIn(registry);
        }
        decide = new Timers(
                registry,
                "weir.decide",
                "decision",
                "How long the gate takes to decide on a request, by what it decides.",
                DECIDE);
        upstream = new Timers(
                registry,
                "weir.upstream.call",
                "outcome",
                "How long calls to upstreams take until their answers have ended; streams that stay open are left out.",
                EXCHANGE);
        request = new Timers(
                registry,
                "weir.request",
                "status",
                "How long requests take from their arrival to their end; streams that stay open are left out.",
                EXCHANGE);
    }

    /**
     * Begins to watch a request.
     *
     * @param arrivedNanos when it arrived, on the monotonic clock
     */
    public Observation begin(long arrivedNanos) {
        return new Observation(this, arrivedNanos);
    }

    /** Whether anybody wants to know which traces requests belong to. */
    public boolean traces() {
        return tracing != null;
    }

    @Nullable
    RequestTrace trace(Arrival arrival, long arrivedNanos) {
        return tracing == null ? null : new RequestTrace(tracing, arrival, arrivedNanos);
    }

    /** Forgets the times of routes that are no more. */
    public void retain(Set<String> routes) {
        decide.retain(routes);
        upstream.retain(routes);
        request.retain(routes);
    }

    long nanos() {
        return nanoClock.getAsLong();
    }

    void decided(String route, String decision, long nanos) {
        decide.of(route, decision).record(nanos, TimeUnit.NANOSECONDS);
    }

    void called(String route, String outcome, long nanos) {
        upstream.of(route, outcome).record(nanos, TimeUnit.NANOSECONDS);
    }

    void ended(@Nullable String route, int status, long nanos) {
        request.of(route == null ? "" : route, Statuses.word(status)).record(nanos, TimeUnit.NANOSECONDS);
    }
}
