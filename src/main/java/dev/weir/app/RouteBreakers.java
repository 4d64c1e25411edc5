package dev.weir.app;

import dev.weir.policy.BreakerRule;
import dev.weir.policy.Policy;
import dev.weir.policy.Route;
import dev.weir.upstream.Breaker;
import dev.weir.upstream.BreakerSettings;
import dev.weir.upstream.BreakerWatch;
import java.net.URI;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The breakers of the routes. One lasts for as long as its route has the same rule and the same upstream, whatever else an operator
 * changes, so that no edit elsewhere closes a circuit that is open. Safe for use by many threads.
 */
final class RouteBreakers {

    private record Kept(BreakerRule rule, URI upstream, Breaker breaker) {

        boolean fits(Route route) {
            return rule.equals(route.breaker()) && upstream.equals(route.upstream());
        }
    }

    private final LongSupplier nanoClock;
    private final InstantSource wallClock;
    private final BreakerWatch watch;
    private Map<String, Kept> kept = Map.of();

    /** @param watch is told of all of them */
    RouteBreakers(LongSupplier nanoClock, InstantSource wallClock, BreakerWatch watch) {
        this.nanoClock = nanoClock;
        this.wallClock = wallClock;
        this.watch = watch;
    }

    /** Those of a policy, by the prefixes of their routes; all others are forgotten. */
    synchronized Map<String, Breaker> of(Policy policy) {
        Map<String, Kept> now = new HashMap<>();
        Map<String, Breaker> breakers = new HashMap<>();
        for (Route route : policy.routes()) {
            BreakerRule rule = route.breaker();
            if (rule == null) {
                continue;
            }
            Kept before = kept.get(route.prefix());
            Kept next = before != null && before.fits(route)
                    ? before
                    : new Kept(
                            rule,
                            route.upstream(),
                            new Breaker(route.prefix(), settings(rule), nanoClock, wallClock, watch));
            now.put(route.prefix(), next);
            breakers.put(route.prefix(), next.breaker());
        }
        kept = now;
        return Map.copyOf(breakers);
    }

    private static BreakerSettings settings(BreakerRule rule) {
        return new BreakerSettings(
                rule.failures(),
                rule.failurePercent(),
                rule.minCalls(),
                rule.window(),
                rule.slow(),
                rule.slowPercent(),
                rule.open(),
                rule.probes());
    }
}
