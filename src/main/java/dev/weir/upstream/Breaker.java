package dev.weir.upstream;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The circuit breaker of one route: lets no more calls through while the upstream keeps failing, and after a rest only so many
 * at a time as are needed to find out whether it is well again. Shares of failed and of slow calls are Resilience4j's; failures in a row
 * are counted here, because it has no such rule.
 *
 * <p>Each call that was let through has to be told how it ended, once; {@link CallReport} sees to that. Safe for use by many
 * threads.
 */
public final class Breaker {

    /** How calls are let through. */
    public enum State {
        /** All of them. */
        CLOSED,
        /** None. */
        OPEN,
        /** A few, to see how they end. */
        HALF_OPEN;

        /** Its name for programs. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * How a breaker stands at one moment.
     *
     * @param since when it came into this state, by the wall clock
     * @param rest  how long it takes until another call may be let through; nothing while it is closed
     * @param until when that is, by the wall clock
     */
    public record Standing(State state, Instant since, Duration rest, Instant until) {}

    /**
     * What has become of the calls so far. A stream that broke after it had begun well is both a success and a failure.
     *
     * @param left     ended in a way that says nothing of the upstream
     * @param rejected not let through
     */
    public record Tally(long succeeded, long failed, long left, long rejected) {}

    private static final Logger LOG = LoggerFactory.getLogger(Breaker.class);

    /** While probes are under way, nobody knows when the next may be: whoever asks is told this. */
    private static final Duration PROBING = Duration.ofSeconds(1);

    /** A probe is not late before this, however short the rests are. */
    private static final Duration LATE = Duration.ofSeconds(30);

    /** What Resilience4j is told of a failure; nobody looks at it. */
    private static final class Failed extends Exception {

        Failed() {
            // Without the stack, which costs more than all the rest.
            super("failed", null, false, false);
        }
    }

    /** A change of the state, to be told. */
    private record Move(State to, String why) {}

    private final String route;
    private final BreakerSettings settings;
    private final LongSupplier nanoClock;
    private final InstantSource wallClock;
    private final BreakerWatch watch;
    private final CircuitBreaker circuit;
    private final long lateAfter;

    // All below, and every step of the circuit, under this object's lock: a result and the state that it meets belong
    // together.
    private State state = State.CLOSED;
    private int turn;
    private long since;
    private Instant sinceByWall;
    private final Deque<BreakerCall> probes = new ArrayDeque<>();
    private int inARow;
    private String lastFailure = "";
    private long succeeded;
    private long failed;
    private long left;
    private long rejected;

    /**
     * @param route     names the route to operators and callers
     * @param nanoClock a monotonic clock, in nanoseconds
     * @param wallClock for what is told, and for nothing else
     * @param watch     is told of changes of the state, by whoever's call has brought them
     */
    public Breaker(
            String route,
            BreakerSettings settings,
            LongSupplier nanoClock,
            InstantSource wallClock,
            BreakerWatch watch) {
        this.route = route;
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.wallClock = wallClock;
        this.watch = watch;
        this.lateAfter = Math.max(settings.open().toNanos(), LATE.toNanos());
        this.circuit = CircuitBreaker.of(route, config(settings, nanoClock));
        this.since = nanoClock.getAsLong();
        this.sinceByWall = wallClock.instant();
    }

    private static CircuitBreakerConfig config(BreakerSettings settings, LongSupplier nanoClock) {
        Duration slow = settings.slow();
        return CircuitBreakerConfig.custom()
                .slidingWindow(
                        Math.toIntExact(settings.window().toSeconds()),
                        settings.minCalls(),
                        SlidingWindowType.TIME_BASED)
                .failureRateThreshold(settings.failurePercent())
                .slowCallDurationThreshold(slow == null ? Duration.ofNanos(Long.MAX_VALUE) : slow)
                .slowCallRateThreshold(settings.slowPercent())
                .waitDurationInOpenState(settings.open())
                .permittedNumberOfCallsInHalfOpenState(settings.probes())
                // A wall clock that is put back would hold the circuit open for so long.
                .clock(new MonotonicClock(nanoClock))
                .currentTimestampFunction(clock -> nanoClock.getAsLong(), TimeUnit.NANOSECONDS)
                .build();
    }

    /**
     * Lets a call through, or not.
     *
     * @param longLived whether its answer is meant to stay open
     * @return what has to be told how the call ends; null if it must not be sent
     */
    @Nullable
    public BreakerCall admit(boolean longLived) {
        BreakerCall call = null;
        Move moved;
        synchronized (this) {
            boolean permitted =
                    circuit.tryAcquirePermission() || (giveUpLateProbes() && circuit.tryAcquirePermission());
            moved = moved();
            if (permitted) {
                call = new BreakerCall(this, turn, longLived, nanos());
                noteProbe(call);
            } else {
                rejected++;
            }
        }
        tell(moved);
        return call;
    }

    private void noteProbe(BreakerCall call) {
        if (state == State.HALF_OPEN) {
            probes.add(call);
        }
    }

    /**
     * Takes the permits back of probes that have been under way for very long: nobody knows how long a client takes to
     * send its body, or an upstream to answer. How they end still counts. Says whether there was one.
     */
    private boolean giveUpLateProbes() {
        boolean any = false;
        for (BreakerCall probe = probes.peek(); isLate(probe); probe = probes.peek()) {
            probes.remove();
            circuit.releasePermission();
            any = true;
        }
        return any;
    }

    private boolean isLate(@Nullable BreakerCall probe) {
        return probe != null && nanos() - probe.startedAt() >= lateAfter;
    }

    /** How it stands now. */
    public synchronized Standing standing() {
        Duration rest = switch (state) {
            case CLOSED -> Duration.ZERO;
            case HALF_OPEN -> PROBING;
            case OPEN -> {
                long nanos = settings.open().toNanos() - (nanos() - since);
                // A millisecond more than is left, because the circuit still refuses at the very end.
                yield Duration.ofMillis(Math.max(TimeUnit.NANOSECONDS.toMillis(nanos), 0) + 1);
            }
        };
        return new Standing(state, sinceByWall, rest, wallClock.instant().plus(rest));
    }

    /** The name of its route. */
    public String route() {
        return route;
    }

    /** What has become of the calls. */
    public synchronized Tally tally() {
        return new Tally(succeeded, failed, left, rejected);
    }

    synchronized boolean isHalfOpen() {
        return state == State.HALF_OPEN;
    }

    /** The time of its clock. */
    long nanos() {
        return nanoClock.getAsLong();
    }

    void succeeded(BreakerCall call, long nanos) {
        Move moved = null;
        synchronized (this) {
            succeeded++;
            probes.remove(call);
            if (call.turn() == turn) {
                inARow = 0;
                circuit.onSuccess(nanos, TimeUnit.NANOSECONDS);
                moved = moved();
            }
        }
        tell(moved);
    }

    void failed(BreakerCall call, long nanos, String why) {
        Move moved;
        synchronized (this) {
            probes.remove(call);
            // What a call of an earlier turn came to says how the upstream was then.
            moved = failure(call.turn() == turn, nanos, why);
        }
        tell(moved);
    }

    /** An answer has broken that counted as a success when it began, which may be long ago. */
    void broke(BreakerCall call, String why) {
        Move moved;
        synchronized (this) {
            if (state == State.HALF_OPEN && call.turn() == turn) {
                failed++;
                lastFailure = why;
                circuit.transitionToOpenState();
                moved = moved();
            } else {
                // Among the probes it would take the place of one.
                moved = failure(state == State.CLOSED, 0, why);
            }
        }
        tell(moved);
    }

    void left(BreakerCall call) {
        synchronized (this) {
            left++;
            if (probes.remove(call)) {
                circuit.releasePermission();
            }
        }
    }

    private @Nullable Move failure(boolean counts, long nanos, String why) {
        failed++;
        if (!counts) {
            return null;
        }
        inARow++;
        lastFailure = why;
        circuit.onError(nanos, TimeUnit.NANOSECONDS, new Failed());
        if (settings.failures() > 0 && inARow >= settings.failures() && stateOfCircuit() != State.OPEN) {
            circuit.transitionToOpenState();
        }
        return moved();
    }

    /** Takes over the state of the circuit; if that has changed, says why. */
    private @Nullable Move moved() {
        State now = stateOfCircuit();
        if (now == state) {
            return null;
        }
        String why = now == State.OPEN ? whyOpen() : "";
        state = now;
        turn++;
        probes.clear();
        since = nanos();
        sinceByWall = wallClock.instant();
        inARow = 0;
        return new Move(now, why);
    }

    private String whyOpen() {
        CircuitBreaker.Metrics calls = circuit.getMetrics();
        if (settings.failures() > 0 && inARow >= settings.failures()) {
            return inARow + " failures in a row, the last: " + lastFailure;
        }
        String of = " % of " + calls.getNumberOfBufferedCalls() + " calls ";
        if (calls.getFailureRate() >= settings.failurePercent()) {
            return Math.round(calls.getFailureRate()) + of + "failed, the last: " + lastFailure;
        }
        return calls.getSlowCallRate() >= settings.slowPercent()
                ? Math.round(calls.getSlowCallRate()) + of + "were slow"
                : "a probe broke: " + lastFailure;
    }

    /** In the log, and to whoever is told; outside the lock. */
    private void tell(@Nullable Move move) {
        if (move == null) {
            return;
        }
        switch (move.to()) {
            case OPEN ->
                LOG.atWarn()
                        .addKeyValue("route", route)
                        .addKeyValue("why", move.why())
                        .addKeyValue("open_ms", settings.open().toMillis())
                        .log("breaker_opened");
            case HALF_OPEN -> LOG.atInfo().addKeyValue("route", route).log("breaker_half_open");
            case CLOSED -> LOG.atInfo().addKeyValue("route", route).log("breaker_closed");
        }
        watch.moved(route, move.to(), move.why(), settings.open());
    }

    private State stateOfCircuit() {
        return switch (circuit.getState()) {
            case CLOSED -> State.CLOSED;
            case OPEN -> State.OPEN;
            case HALF_OPEN -> State.HALF_OPEN;
            default -> throw new IllegalStateException("nobody asked for the state " + circuit.getState());
        };
    }
}
