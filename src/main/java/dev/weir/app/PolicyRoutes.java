package dev.weir.app;

import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.Route;
import dev.weir.proxy.Routes;
import dev.weir.proxy.Upstream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the proxy sends a request: the routes of the policy in force. Safe for use by many threads. */
final class PolicyRoutes implements Routes {

    private static final Duration FIRST_BYTE = Duration.ofSeconds(60);
    private static final Duration IDLE = Duration.ofMinutes(10);

    /** The upstreams of one policy, kept with it so that they are made once. */
    private record Compiled(Policy policy, Map<String, Upstream> upstreams) {}

    private final PolicyBook book;
    private volatile @Nullable Compiled compiled;

    PolicyRoutes(PolicyBook book) {
        this.book = book;
    }

    @Override
    public @Nullable Upstream find(String path) {
        Policy policy = book.current();
        Route route = policy.route(path);
        if (route == null) {
            return null;
        }
        Compiled now = compiled;
        if (now == null || !now.policy().equals(policy)) {
            now = compile(policy);
            compiled = now;
        }
        return now.upstreams().get(route.prefix());
    }

    private static Compiled compile(Policy policy) {
        Map<String, Upstream> upstreams = new HashMap<>();
        for (Route route : policy.routes()) {
            upstreams.put(route.prefix(), new Upstream(route.prefix(), route.upstream(), FIRST_BYTE, IDLE));
        }
        return new Compiled(policy, Map.copyOf(upstreams));
    }
}
