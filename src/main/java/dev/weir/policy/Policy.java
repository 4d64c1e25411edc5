package dev.weir.policy;

import dev.weir.auth.Bearer;
import dev.weir.auth.ClientKey;
import dev.weir.auth.Token;
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

    private final PolicyRows rows;
    private final Map<String, Route> routes;
    private final Credentials credentials;
    private final BanRule banRule;
    private final Retention retention;
    private final Map<String, String> settings;
    private final Charge unproven;
    private final Charge unchecked;

    Policy(
            PolicyRows rows,
            Map<String, Route> routes,
            Credentials credentials,
            PolicySettings settings,
            Charge unproven,
            Charge unchecked) {
        this.rows = rows;
        this.routes = Map.copyOf(routes);
        this.credentials = credentials;
        this.banRule = settings.banRule();
        this.retention = settings.retention();
        this.settings = SettingValues.of(settings);
        this.unproven = unproven;
        this.unchecked = unchecked;
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
        return credentials.key(keyDigest, now);
    }

    /** Whose a token is that was found good. */
    public Bearer bearer(Token token) {
        return credentials.bearer(token);
    }

    /** When throttles become a ban. */
    public BanRule banRule() {
        return banRule;
    }

    /** Every setting that rows may set, as it is in force. */
    public Map<String, String> settings() {
        return settings;
    }

    /** How long history is kept. */
    public Retention retention() {
        return retention;
    }

    /** What a caller who has proven nothing is charged, where proof is asked for. */
    public Charge unproven() {
        return unproven;
    }

    /** What such a caller is charged for having its token checked: the same, and a place among the checks that are going on. */
    public Charge unchecked() {
        return unchecked;
    }
}
