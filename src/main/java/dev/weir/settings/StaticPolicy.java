package dev.weir.settings;

import dev.weir.limit.Limit;
import dev.weir.policy.NamedSettings;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyRejectedException;
import dev.weir.policy.PolicyRows;
import java.util.List;

/** What the settings say that rows of the database may say otherwise. */
public final class StaticPolicy {

    private static final Limit GLOBAL = Limit.of(1_000, 2_000);

    private StaticPolicy() {}

    /** What stands where no row does. */
    public static PolicyBase base(Settings settings) {
        Limit channel = Limit.of(
                settings.rateLimit().requestsPerSecond(), settings.rateLimit().burstSize());
        return new PolicyBase(
                settings.rateLimit().enabled(),
                channel,
                GLOBAL,
                settings.upstream().orElse(null),
                new NamedSettings(settings.upstreamTls().keySet(), settings.secrets()));
    }

    /** The policy before the rows have been read: no route. */
    public static Policy none(Settings settings) {
        PolicyBase base = base(settings);
        PolicyRows nothing =
                new PolicyRows(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
        try {
            return Policy.compile(nothing, new PolicyBase(base.limitsEnabled(), base.channel(), base.global(), null));
        } catch (PolicyRejectedException e) {
            throw new IllegalStateException("a policy of no rows has nothing to be rejected for", e);
        }
    }
}
