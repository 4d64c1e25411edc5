package dev.weir.gate;

import dev.weir.auth.Caller;
import dev.weir.auth.Principal;
import dev.weir.ban.BanBook;
import dev.weir.ban.BanRule;
import dev.weir.ban.Outlook;
import dev.weir.ban.Standing;
import dev.weir.limit.BucketName;
import dev.weir.limit.Charge;
import dev.weir.limit.Forecast;
import dev.weir.limit.Level;
import dev.weir.limit.LocalBuckets;
import dev.weir.limit.Outcome;
import dev.weir.limit.Take;
import dev.weir.limit.Tier;
import dev.weir.mcp.Era;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.RequestId;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.Route;
import dev.weir.policy.ToolRule;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Says what {@link Gatekeeper#decide} would say, step by step and in the same order, but takes nothing, counts nothing and strikes
 * nobody. Safe for use by many threads; waits for nothing.
 */
public final class Explainer {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final String CLIENT = Principal.client("").key();

    private final PolicyBook policies;
    private final LocalBuckets buckets;
    private final BanBook bans;
    private final InstantSource clock;
    private final LongSupplier nanoClock;

    /**
     * @param buckets   those of callers that may call at all
     * @param clock     the wall clock, on which it is told until when something holds
     * @param nanoClock the monotonic clock of buckets and strikes
     */
    public Explainer(
            PolicyBook policies, LocalBuckets buckets, BanBook bans, InstantSource clock, LongSupplier nanoClock) {
        this.policies = policies;
        this.buckets = buckets;
        this.bans = bans;
        this.clock = clock;
        this.nanoClock = nanoClock;
    }

    /**
     * What would be decided of a request that arrives now.
     *
     * @param path   as {@link Call#path}
     * @param tool   the tool that it calls; null for none
     * @param method its method, if it calls no tool; null for a request without a message
     */
    public Explanation explain(Caller caller, String path, @Nullable String tool, @Nullable String method) {
        long now = nanoClock.getAsLong();
        String name = tool != null ? McpMessage.TOOLS_CALL : method;
        if (name == null) {
            return explain(caller, new Call(path, Call.Kind.OTHER, null, now));
        }
        boolean notification = name.startsWith("notifications/");
        McpMessage message = new McpMessage(
                notification ? McpMessage.Kind.NOTIFICATION : McpMessage.Kind.REQUEST,
                notification ? null : new RequestId("1"),
                name,
                tool,
                Era.LEGACY,
                null);
        return explain(caller, new Call(path, Call.Kind.MESSAGE, message, now));
    }

    /** How near a principal is to a ban. */
    public Outlook strikes(String principal) {
        return bans.outlook(principal, policies.current().banRule(), nanoClock.getAsLong());
    }

    /** The tier that the policy has for a bucket of a principal; null if it has none. */
    public @Nullable Tier tier(String principal, BucketName bucket) {
        Policy policy = policies.current();
        List<Route> routes = bucket.route().isEmpty()
                ? policy.routes()
                : policy.routes().stream()
                        .filter(route -> route.prefix().equals(bucket.route()))
                        .toList();
        String client = principal.startsWith(CLIENT) ? principal.substring(CLIENT.length()) : null;
        for (Route route : routes) {
            ToolRule rule = bucket.level() == Level.METHOD ? route.method(bucket.tool()) : route.tool(bucket.tool());
            Charge charge = rule == null || !bucket.level().ofOneTool()
                    ? route.other()
                    : rule.of(client).charge();
            for (Take take : charge.takes()) {
                if (take.bucket().equals(bucket)) {
                    return take.tier();
                }
            }
        }
        return null;
    }

    /** What would be decided of a call that brings one message or none. */
    Explanation explain(Caller caller, Call call) {
        Policy policy = policies.current();
        Route route = policy.route(call.path());
        if (route == null) {
            return new Explanation(
                    Explanation.Kind.ADMIT, null, caller.exempt(), null, null, null, List.of(), null, policy.banRule());
        }
        return new Case(policy, route, caller, call).explain();
    }

    /** One call, and what is known of it. */
    private final class Case {

        private final Policy policy;
        private final Route route;
        private final Caller caller;
        private final Call call;
        private final @Nullable Standing ban;
        private final @Nullable Outlook outlook;
        private final Explanation.@Nullable Denial denial;

        Case(Policy policy, Route route, Caller caller, Call call) {
            this.policy = policy;
            this.route = route;
            this.caller = caller;
            this.call = call;
            String principal = caller.principal().key();
            this.ban = caller.exempt() ? null : bans.find(principal);
            this.outlook = caller.exempt() ? null : bans.outlook(principal, policy.banRule(), call.arrivedNanos());
            Verdict.Forbid forbid = Gatekeeper.forbid(route, caller, call);
            this.denial = forbid == null
                    ? null
                    : new Explanation.Denial(forbid.why(), forbid.tool(), forbid.remedy(), forbid.scopes());
        }

        Explanation explain() {
            if (caller.exempt()) {
                return told(denial == null ? Explanation.Kind.ADMIT : Explanation.Kind.FORBID, null, List.of());
            }
            Charge charge = denial != null ? route.other() : Gatekeeper.charge(route, call.message(), caller.client());
            Forecast forecast = buckets.foresee(caller.principal().key(), charge);
            List<Explanation.Step> steps =
                    forecast.looks().stream().map(this::step).toList();
            if (ban != null && shuts(ban.shutsAll())) {
                return told(Explanation.Kind.SHUT, null, steps);
            }
            Forecast.Look by = forecast.by();
            if (by == null || Methods.alwaysPasses(call)) {
                return told(denial == null ? Explanation.Kind.ADMIT : Explanation.Kind.FORBID, null, steps);
            }
            Outcome.Reason reason = Objects.requireNonNull(by.reason());
            boolean banned = ban == null
                    && outlook != null
                    && outlook.bannedFor() != null
                    && Gatekeeper.isStrike(call, by.take(), reason)
                    && shuts(policy.banRule().scope() == BanRule.Scope.ALL);
            long wait = Gatekeeper.wait(forecast.waitNanos(), reason);
            Explanation.Refusal refusal =
                    new Explanation.Refusal(Gatekeeper.level(by.take(), reason), reason, wait, until(wait, reason));
            return told(banned ? Explanation.Kind.SHUT : Explanation.Kind.THROTTLE, refusal, steps);
        }

        private boolean shuts(boolean all) {
            return all || call.tool() != null;
        }

        private Explanation told(
                Explanation.Kind verdict, Explanation.@Nullable Refusal refusal, List<Explanation.Step> steps) {
            return new Explanation(
                    verdict, route.prefix(), caller.exempt(), refusal, ban, denial, steps, outlook, policy.banRule());
        }

        private Explanation.Step step(Forecast.Look look) {
            return new Explanation.Step(
                    look,
                    look.take().bucket().level().word(),
                    Origin.of(
                            policy.rows(),
                            look.take().bucket(),
                            look.take().tier().name(),
                            caller.client()));
        }

        private @Nullable Instant until(long wait, Outcome.Reason reason) {
            return wait == Verdict.NEVER || reason == Outcome.Reason.BUSY
                    ? null
                    : clock.instant().plusMillis((wait + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
        }
    }
}
