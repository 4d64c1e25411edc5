package dev.weir.policy.table;

import java.util.List;

/** The columns of table {@code route} about its circuit breaker. */
final class RouteCircuit {

    private static final String FRESH = "The route gets a fresh circuit, which is closed.";

    private RouteCircuit() {}

    static List<Column> columns() {
        return List.of(
                Column.with(
                        true,
                        "breaker_enabled",
                        Values.flag(),
                        "Whether the route has a circuit, which opens when the server keeps failing: callers get a clear 503 at once, and the server is left alone.",
                        "Without it, each call waits for the failing server as long as the timeouts say."),
                count(
                        "breaker_failures",
                        5,
                        0,
                        1_000,
                        "failures",
                        "So many failures in a row open the circuit. 0: it never opens by this."),
                count(
                        "breaker_failure_percent",
                        50,
                        1,
                        100,
                        "%",
                        "This share of failures in the window opens the circuit, once there are breaker_min_calls."),
                count(
                        "breaker_min_calls",
                        20,
                        1,
                        10_000,
                        "calls",
                        "The fewest calls in the window that a share is taken of."),
                count("breaker_window_seconds", 30, 1, 600, "s", "How far back calls are looked at for the shares."),
                count(
                        "breaker_slow_ms",
                        0,
                        0,
                        86_400_000,
                        "ms",
                        "A call whose answer takes longer to begin is slow. 0: none is."),
                count(
                        "breaker_slow_percent",
                        50,
                        1,
                        100,
                        "%",
                        "This share of slow calls in the window opens the circuit."),
                count("breaker_open_seconds", 30, 1, 3_600, "s", "How long nothing is sent once the circuit is open."),
                count(
                        "breaker_probes",
                        2,
                        1,
                        100,
                        "calls",
                        "How many calls at a time are let through after that, to see whether it may close."));
    }

    private static Column count(String name, long standard, long least, long most, String unit, String meaning) {
        return Column.with(standard, name, Values.whole(least, most), meaning, FRESH)
                .in(unit);
    }
}
