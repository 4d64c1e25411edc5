package dev.weir.gate;

import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.Route;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The routes of the policy in force as OAuth sees them: things that a token is for. Safe for use by many threads. */
public final class Resources {

    /**
     * One of them.
     *
     * @param prefix the public path prefix
     * @param scopes all that a token for it may need; none where scopes open nothing
     */
    public record Resource(String prefix, Set<String> scopes) {

        public Resource {
            scopes = Set.copyOf(scopes);
        }
    }

    private final PolicyBook policies;

    public Resources(PolicyBook policies) {
        this.policies = policies;
    }

    /** The one with exactly this prefix; null if there is none. */
    public @Nullable Resource named(String prefix) {
        Resource covering = covering(prefix);
        return covering != null && covering.prefix().equals(prefix) ? covering : null;
    }

    /** The one that a path belongs to; null if there is none. */
    public @Nullable Resource covering(String path) {
        Route route = policies.current().route(path);
        return route == null ? null : resource(route);
    }

    /** The one that answers for all: that of the prefix {@code /}, or the only one; null if there is neither. */
    public @Nullable Resource root() {
        Policy policy = policies.current();
        Route root = policy.route("/");
        List<Route> all = policy.routes();
        if (root != null) {
            return resource(root);
        }
        return all.size() == 1 ? resource(all.get(0)) : null;
    }

    private static Resource resource(Route route) {
        Set<String> scopes = new HashSet<>(route.guard().scopes());
        route.tools().values().forEach(tool -> scopes.addAll(tool.scopes()));
        return new Resource(route.prefix(), scopes);
    }
}
