package dev.weir.gate;

import dev.weir.auth.Caller;
import dev.weir.auth.Principal;
import dev.weir.ban.Ban;
import dev.weir.ban.BanBook;
import dev.weir.ban.BanRule;
import dev.weir.limit.Buckets;
import dev.weir.limit.Charge;
import dev.weir.limit.Level;
import dev.weir.limit.Outcome;
import dev.weir.limit.Take;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.Route;
import dev.weir.policy.ToolRule;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The one place where a call is admitted or refused. Reads the policy once, waits for nothing, and is safe for use by many
 * threads.
 */
public final class Gatekeeper {

    private final PolicyBook policies;
    private final Buckets buckets;
    private final Buckets unproven;
    private final BanBook bans;
    private final InstantSource clock;

    /**
     * @param buckets  those of callers that may call at all
     * @param unproven those of callers that have not proven who they are, kept apart because anybody can make them many
     * @param clock    the wall clock, on which bans end
     */
    public Gatekeeper(PolicyBook policies, Buckets buckets, Buckets unproven, BanBook bans, InstantSource clock) {
        this.policies = policies;
        this.buckets = buckets;
        this.unproven = unproven;
        this.bans = bans;
        this.clock = clock;
    }

    /** Whether a path belongs to a route, and so a body on it is to be read and judged. */
    public boolean guards(String path) {
        return policies.current().route(path) != null;
    }

    /** Judges a call of somebody who may call at all. */
    public Verdict decide(Caller caller, Call call) {
        Principal principal = caller.principal();
        Policy policy = policies.current();
        Route route = policy.route(call.path());
        if (route == null) {
            return new Verdict.Admit(null, null, null);
        }
        if (policy.isExempt(caller.client())) {
            return new Verdict.Admit(route.prefix(), null, null);
        }
        String tool = call.tool();
        BanBook.Standing ban = bans.find(principal.key());
        if (ban != null && (tool != null || ban.ban().scope() == BanRule.Scope.ALL)) {
            return shut(ban, route, call);
        }
        ToolRule rule = tool == null ? null : route.tool(tool);
        if (tool != null && rule != null && rule.access() != ToolRule.Access.OPEN) {
            return forbid(route, tool, rule, call);
        }
        Charge charge = rule == null ? route.other() : rule.charge();
        Outcome outcome = buckets.take(principal.key(), charge);
        if (outcome.taken() || Methods.alwaysPasses(call)) {
            return admit(route, outcome);
        }
        return refuse(principal, call, route, outcome, policy.banRule());
    }

    /**
     * Judges a call of somebody who has not proven who it is, where that is asked for. Such a caller is charged under its
     * address only, takes nothing from anybody else, and is never banned.
     *
     * @return {@link Verdict.Admit} if the caller may be told that it has to prove itself; else {@link Verdict.Throttle}
     */
    public Verdict decideUnproven(Principal address, Call call) {
        Policy policy = policies.current();
        Route route = policy.route(call.path());
        Outcome outcome = unproven.take(address.key(), policy.unproven());
        if (outcome.taken()) {
            return new Verdict.Admit(route == null ? null : route.prefix(), null, null);
        }
        String prefix = route == null ? call.path() : route.prefix();
        return throttle(Form.HTTP_STATUS, prefix, call, outcome, 0, 0, () -> {});
    }

    private Verdict refuse(Principal principal, Call call, Route route, Outcome outcome, BanRule rule) {
        Form form = Forms.of(route.refusalForm(), call);
        if (!isStrike(call, outcome)) {
            return throttle(form, route.prefix(), call, outcome, 0, 0, () -> {});
        }
        Level level = Objects.requireNonNull(outcome.refusedBy()).bucket().level();
        dev.weir.ban.Call struck =
                new dev.weir.ban.Call(route.prefix(), call.tool(), level.word(), call.arrivedNanos(), call.lane());
        BanBook.Strike strike = bans.strike(principal.key(), struck, rule);
        BanBook.Standing ban = strike.ban();
        if (ban != null && (call.tool() != null || ban.ban().scope() == BanRule.Scope.ALL)) {
            return shut(ban, route, call);
        }
        int untilBan = rule.threshold() + 1 - strike.strikes();
        return throttle(form, route.prefix(), call, outcome, strike.strikes(), untilBan, strike.answered());
    }

    /** Only what the caller's own buckets refuse is the caller's own doing; a cool-down has been paid for already. */
    private static boolean isStrike(Call call, Outcome outcome) {
        return outcome.reason() != Outcome.Reason.COOLING
                && outcome.refusedBy() != null
                && outcome.refusedBy().bucket().level().personal()
                && Methods.canStrike(call.message());
    }

    private static Verdict admit(Route route, Outcome outcome) {
        Take would = outcome.wouldRefuse();
        return new Verdict.Admit(route.prefix(), quota(outcome), would == null ? null : would.label());
    }

    private static Verdict throttle(
            Form form, String route, Call call, Outcome outcome, int strikes, int untilBan, Runnable answered) {
        Take take = Objects.requireNonNull(outcome.refusedBy());
        return new Verdict.Throttle(
                form,
                route,
                call.tool(),
                take.bucket().level().word(),
                take.cooldownNanos() > 0 && outcome.reason() != Outcome.Reason.BLOCKED,
                outcome.waitNanos() == Outcome.NEVER ? Verdict.NEVER : outcome.waitNanos(),
                Objects.requireNonNull(quota(outcome)),
                strikes,
                untilBan,
                answered);
    }

    private static @Nullable Quota quota(Outcome outcome) {
        Take tightest = outcome.tightest();
        return tightest == null
                ? null
                : new Quota(
                        tightest.label(),
                        tightest.limit().ratePerSecond(),
                        tightest.limit().capacity(),
                        outcome.remaining(),
                        outcome.fullNanos());
    }

    private Verdict shut(BanBook.Standing standing, Route route, Call call) {
        boolean all = standing.ban().scope() == BanRule.Scope.ALL;
        return new Verdict.Shut(
                call.tool() == null ? Form.HTTP_STATUS : Forms.of(route.refusalForm(), call),
                route.prefix(),
                standing.ban().id(),
                all,
                why(standing.ban()),
                standing.ban().expiresAt(),
                Duration.between(clock.instant(), standing.ban().expiresAt()),
                standing.recorded());
    }

    private static String why(Ban ban) {
        return ban.strikes() > 0 ? "after " + ban.reason() : "(" + ban.reason() + ")";
    }

    private static Verdict forbid(Route route, String tool, ToolRule rule, Call call) {
        String why = rule.access() == ToolRule.Access.DISABLED
                ? "is switched off at this gateway"
                : "is not registered at this gateway";
        return new Verdict.Forbid(Forms.of(route.refusalForm(), call), route.prefix(), tool, why);
    }
}
