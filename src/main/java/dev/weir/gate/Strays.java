package dev.weir.gate;

import dev.weir.policy.Policy;
import dev.weir.policy.Route;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The names of tools that were called and that no row names, so that an operator can register them. Callers make such names up, and
 * so there is room for some only, and those go first that nobody calls again. Safe for use by many threads.
 */
public final class Strays {

    /** The most names of one route; a few more may slip in together, as with the next. */
    static final int MOST_OF_A_ROUTE = 200;

    /** The most names of all routes. */
    static final int MOST = 1_000;

    /** The longest name that is kept: no longer one can be registered. */
    static final int LONGEST_NAME = 255;

    private static final Duration FORGET_ONCE_CALLED = Duration.ofMinutes(1);
    private static final Duration FORGET = Duration.ofHours(1);

    /** One of them. */
    public record Stray(String route, String name, long calls, Instant lastAt) {}

    private static final class Seen {
        private final LongAdder calls = new LongAdder();
        private volatile long lastMillis;
    }

    private final InstantSource clock;
    private final Map<String, Map<String, Seen>> routes = new ConcurrentHashMap<>();
    private final AtomicInteger names = new AtomicInteger();
    private final LongAdder unnamed = new LongAdder();

    /** @param clock the wall clock */
    public Strays(InstantSource clock) {
        this.clock = clock;
    }

    void count(String route, String tool) {
        Map<String, Seen> ofRoute = routes.get(route);
        Seen seen = ofRoute == null ? null : ofRoute.get(tool);
        if (seen == null) {
            if (tool.length() > LONGEST_NAME
                    || names.get() >= MOST
                    || (ofRoute != null && ofRoute.size() >= MOST_OF_A_ROUTE)) {
                unnamed.increment();
                return;
            }
            seen = routes.computeIfAbsent(route, first -> new ConcurrentHashMap<>())
                    .computeIfAbsent(tool, first -> {
                        names.incrementAndGet();
                        return new Seen();
                    });
        }
        seen.calls.increment();
        seen.lastMillis = clock.millis();
    }

    /** Makes room where it has become scarce. To be called now and then. */
    public void sweep() {
        long now = clock.millis();
        routes.values().forEach(ofRoute -> {
            if (ofRoute.size() > MOST_OF_A_ROUTE / 2 || names.get() > MOST / 2) {
                ofRoute.values().removeIf(seen -> {
                    long idle = now - seen.lastMillis;
                    boolean gone =
                            idle > FORGET.toMillis() || (seen.calls.sum() == 1 && idle > FORGET_ONCE_CALLED.toMillis());
                    if (gone) {
                        names.decrementAndGet();
                    }
                    return gone;
                });
            }
        });
    }

    /** Those that a policy does not name, on routes that it has; the most called first. */
    public List<Stray> of(Policy policy) {
        List<Stray> all = new ArrayList<>();
        for (Route route : policy.routes()) {
            routes.getOrDefault(route.prefix(), Map.of()).forEach((name, seen) -> {
                if (!route.tools().containsKey(name)) {
                    all.add(new Stray(route.prefix(), name, seen.calls.sum(), Instant.ofEpochMilli(seen.lastMillis)));
                }
            });
        }
        all.sort(Comparator.comparingLong(Stray::calls)
                .reversed()
                .thenComparing(Stray::route)
                .thenComparing(Stray::name));
        return all;
    }

    /** The calls for whose names there was no room. */
    public long unnamed() {
        return unnamed.sum();
    }
}
