package dev.weir.app;

import dev.weir.policy.HealthCheck;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.Route;
import dev.weir.policy.RouteKind;
import dev.weir.policy.Transit;
import dev.weir.proxy.Routes;
import dev.weir.upstream.Access;
import dev.weir.upstream.Breaker;
import dev.weir.upstream.Fleet;
import dev.weir.upstream.Header;
import dev.weir.upstream.Introduction;
import dev.weir.upstream.Limits;
import dev.weir.upstream.Manners;
import dev.weir.upstream.Upstream;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the proxy sends a request: the routes of the policy in force. Safe for use by many threads. */
final class PolicyRoutes implements Routes {

    /** The upstreams and the breakers of one policy, kept with it so that they are made once. */
    private record Compiled(Policy policy, Map<String, Upstream> upstreams, Map<String, Breaker> breakers) {}

    private final PolicyBook book;
    private final RouteBreakers breakers;
    private volatile @Nullable Compiled compiled;

    PolicyRoutes(PolicyBook book, RouteBreakers breakers) {
        this.book = book;
        this.breakers = breakers;
    }

    @Override
    public @Nullable Upstream find(String path) {
        Compiled now = current();
        Route route = now.policy().route(path);
        return route == null ? null : now.upstreams().get(route.prefix());
    }

    @Override
    public @Nullable Breaker breaker(Upstream upstream) {
        return breakers().get(upstream.prefix());
    }

    /** The breakers of the policy in force, by the prefixes of their routes. */
    Map<String, Breaker> breakers() {
        return current().breakers();
    }

    /** The upstreams of all routes. */
    Collection<Upstream> all() {
        return current().upstreams().values();
    }

    private Compiled current() {
        Policy policy = book.current();
        Compiled now = compiled;
        if (now == null || !now.policy().equals(policy)) {
            now = compile(policy);
            compiled = now;
        }
        return now;
    }

    private Compiled compile(Policy policy) {
        Map<String, Upstream> upstreams = new HashMap<>();
        for (Route route : policy.routes()) {
            upstreams.put(
                    route.prefix(),
                    new Upstream(
                            route.prefix(),
                            route.upstream(),
                            limits(route.transit()),
                            manners(route),
                            access(route),
                            fleet(route)));
        }
        return new Compiled(policy, Map.copyOf(upstreams), breakers.of(policy));
    }

    private static Access access(Route route) {
        return new Access(
                route.transit().tls(),
                route.headers().stream()
                        .map(header -> new Header(header.name(), header.value()))
                        .toList(),
                new Introduction(
                        route.introduction().told(), route.introduction().secret()));
    }

    private static Fleet fleet(Route route) {
        HealthCheck check = route.check();
        return new Fleet(
                route.others(),
                check == null ? null : new Fleet.Check(check.kind() == RouteKind.MCP, check.path(), check.every()));
    }

    private static Limits limits(Transit transit) {
        return new Limits(
                transit.connect(),
                transit.firstByte(),
                transit.idle(),
                transit.total(),
                transit.maxConnections(),
                transit.maxQueued(),
                transit.maxBodyBytes());
    }

    private static Manners manners(Route route) {
        Transit transit = route.transit();
        Manners.Errors errors = switch (transit.errors()) {
            case UNIFIED -> Manners.Errors.UNIFIED;
            case MASK_5XX -> Manners.Errors.MASK_5XX;
            case PASS -> Manners.Errors.PASS;
        };
        return new Manners(route.kind() == RouteKind.MCP, transit.stripsPrefix(), transit.preservesHost(), errors);
    }
}
