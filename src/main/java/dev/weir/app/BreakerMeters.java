package dev.weir.app;

import dev.weir.upstream.Breaker;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The numbers of the breakers, which come and go with the routes. Safe for use by many threads. */
final class BreakerMeters {

    private final PolicyRoutes routes;
    private final MeterRegistry registry;
    private final Map<String, List<Meter>> meters = new HashMap<>();

    BreakerMeters(PolicyRoutes routes, MeterRegistry registry) {
        this.routes = routes;
        this.registry = registry;
    }

    /** Adds the numbers of new breakers and takes away those of breakers that are no more. */
    synchronized void refresh() {
        Map<String, Breaker> now = routes.breakers();
        meters.entrySet().removeIf(known -> {
            boolean gone = !now.containsKey(known.getKey());
            if (gone) {
                known.getValue().forEach(registry::remove);
            }
            return gone;
        });
        for (String route : now.keySet()) {
            meters.computeIfAbsent(route, this::register);
        }
    }

    private List<Meter> register(String route) {
        List<Meter> all = new ArrayList<>();
        for (Breaker.State state : Breaker.State.values()) {
            all.add(Gauge.builder("weir.breaker.state", routes, source -> isIn(source, route, state))
                    .tags(Tags.of("route", route, "state", state.word()))
                    .description("1 for the state that the route's breaker is in, 0 for the others.")
                    .register(registry));
        }
        all.add(calls(route, "success", Breaker.Tally::succeeded));
        all.add(calls(route, "failure", Breaker.Tally::failed));
        all.add(calls(route, "left", Breaker.Tally::left));
        all.add(FunctionCounter.builder(
                        "weir.breaker.rejected", routes, source -> count(source, route, Breaker.Tally::rejected))
                .tags(Tags.of("route", route))
                .description("Calls that a breaker has not let through.")
                .register(registry));
        return all;
    }

    private Meter calls(String route, String outcome, ToLongFunction<Breaker.Tally> part) {
        return FunctionCounter.builder("weir.breaker.calls", routes, source -> count(source, route, part))
                .tags(Tags.of("route", route, "outcome", outcome))
                .description("What the calls that a breaker let through said of the upstream; left for nothing.")
                .register(registry);
    }

    private static double isIn(PolicyRoutes routes, String route, Breaker.State state) {
        Breaker breaker = routes.breakers().get(route);
        return breaker != null && breaker.standing().state() == state ? 1 : 0;
    }

    private static double count(PolicyRoutes routes, String route, ToLongFunction<Breaker.Tally> part) {
        Breaker breaker = routes.breakers().get(route);
        return breaker == null ? 0 : part.applyAsLong(breaker.tally());
    }
}
