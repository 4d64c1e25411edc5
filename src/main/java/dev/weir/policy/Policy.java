package dev.weir.policy;

import dev.weir.auth.ClientKey;
import dev.weir.ban.BanRule;
import dev.weir.limit.Charge;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything an operator decides, compiled and checked. Immutable, and so safe for use by many threads; a request reads one
 * policy once and keeps to it to its end.
 */
public final class Policy {

    /** A client's key as far as a look-up needs to know. */
    record Key(ClientKey key, @Nullable Instant expiresAt) {}

    private final PolicyRows rows;
    private final Map<String, Route> routes;
    private final Map<String, Key> keys;
    private final BanRule banRule;
    private final Retention retention;
    private final Charge unproven;

    Policy(
            PolicyRows rows,
            Map<String, Route> routes,
            Map<String, Key> keys,
            BanRule banRule,
            Retention retention,
            Charge unproven) {
        this.rows = rows;
        this.routes = Map.copyOf(routes);
        this.keys = Map.copyOf(keys);
        this.banRule = banRule;
        this.retention = retention;
        this.unproven = unproven;
    }

    /**
     * Makes a policy of rows.
     *
     * @throws PolicyRejectedException if any row cannot work as written; nothing is repaired
     */
    public static Policy compile(PolicyRows rows, PolicyBase base) throws PolicyRejectedException {
        return new PolicyCompiler(rows, base).compile();
    }

    /** The rows that this policy was made of. */
    public PolicyRows rows() {
        return rows;
    }

    /** All routes, in no order. */
    public List<Route> routes() {
        return List.copyOf(routes.values());
    }

    /**
     * The route with the longest prefix of whole segments of a path.
     *
     * @param path begins with a slash and has nothing left to decode or resolve
     */
    public @Nullable Route route(String path) {
        String prefix = path;
        while (true) {
            Route route = routes.get(prefix);
            if (route != null || prefix.length() <= 1) {
                return route;
            }
            int slash = prefix.lastIndexOf('/', prefix.length() - 1);
            prefix = slash <= 0 ? "/" : prefix.substring(0, slash);
        }
    }

    /** The key that has this digest and holds at an instant; null if there is none. */
    public @Nullable ClientKey key(String keyDigest, Instant now) {
        Key found = keys.get(keyDigest);
        if (found == null) {
            return null;
        }
        boolean expired = found.expiresAt() != null && !now.isBefore(found.expiresAt());
        return expired ? null : found.key();
    }

    /** When throttles become a ban. */
    public BanRule banRule() {
        return banRule;
    }

    /** How long history is kept. */
    public Retention retention() {
        return retention;
    }

    /** What a caller who has proven nothing is charged, where proof is asked for. */
    public Charge unproven() {
        return unproven;
    }
}
