package dev.weir.gate;

import dev.weir.auth.Caller;
import dev.weir.auth.Principal;
import dev.weir.ban.BanBook;
import dev.weir.ban.BanRule;
import dev.weir.ban.Standing;
import dev.weir.limit.BucketName;
import dev.weir.limit.Buckets;
import dev.weir.limit.Charge;
import dev.weir.limit.Outcome;
import dev.weir.limit.Take;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.Reading;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.Route;
import dev.weir.policy.RouteKind;
import dev.weir.policy.ToolRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The one place where a call is admitted or refused. Reads the policy once, waits for nothing, and is safe for use by many
 * threads.
 */
public final class Gatekeeper {

    private static final BanBook.Strike NO_STRIKE = new BanBook.Strike(0, null, 0, () -> {});

    private final PolicyBook policies;
    private final Buckets buckets;
    private final Buckets unproven;
    private final BanBook bans;
    private final Decisions decisions;

    /**
     * @param buckets   those of callers that may call at all
     * @param unproven  those of callers that have not proven who they are, kept apart because anybody can make them many
     * @param decisions counts every verdict
     */
    public Gatekeeper(PolicyBook policies, Buckets buckets, Buckets unproven, BanBook bans, Decisions decisions) {
        this.policies = policies;
        this.buckets = buckets;
        this.unproven = unproven;
        this.bans = bans;
        this.decisions = decisions;
    }

    /** Whether batches of messages are judged on the route of a path, and not refused. */
    public boolean takesBatches(String path) {
        Route route = policies.current().route(path);
        return route != null && route.takesBatches();
    }

    /** Whether a body on a path is to be read and judged by what it says. */
    public boolean readsMessages(String path) {
        Route route = policies.current().route(path);
        return route != null && route.kind() == RouteKind.MCP;
    }

    /** Whether a body on a path is to be passed on unread. */
    public boolean passesUnread(String path) {
        Route route = policies.current().route(path);
        return route != null && route.kind() == RouteKind.HTTP;
    }

    /** What a credential has to be good for to be used on the route of a path. */
    public Set<String> scopes(String path) {
        Route route = policies.current().route(path);
        return route == null ? Set.of() : route.guard().scopes();
    }

    /** Judges a call of somebody who may call at all. */
    public Verdict decide(Caller caller, Call call) {
        Policy policy = policies.current();
        Route route = policy.route(call.path());
        if (route == null) {
            return new Verdict.Admit(null, null);
        }
        return decisions.count(caller.principal(), route, call, judge(policy, route, caller, call));
    }

    /**
     * The tools that a caller may see, by their exact names: those that it may call. Null if it may see all, or if there can be no list
     * of tools in the answer to its call.
     */
    public @Nullable Predicate<String> visibleTools(Caller caller, Call call) {
        Route route = policies.current().route(call.path());
        return route == null || !Methods.mayListTools(call) ? null : Permissions.visible(route, caller);
    }

    private Verdict judge(Policy policy, Route route, Caller caller, Call call) {
        Principal principal = caller.principal();
        Standing ban = caller.exempt() ? null : bans.find(principal.key());
        if (ban != null && (call.tool() != null || ban.shutsAll())) {
            return shut(ban, route, call);
        }
        Verdict.Forbid forbid = forbid(route, caller, call);
        if (forbid != null) {
            // Charged like any other call that asks for nothing, so that a flood of such ends too.
            Verdict charged = caller.exempt() ? forbid : charge(policy, route, principal, call, route.other());
            return charged instanceof Verdict.Admit ? forbid : charged;
        }
        if (caller.exempt()) {
            return new Verdict.Admit(route.prefix(), null);
        }
        if (call.batch() != null) {
            return judge(policy, route, caller, call, call.batch());
        }
        return charge(policy, route, principal, call, charge(route, call.message(), caller.client()));
    }

    /** All of its messages, or none. */
    private Verdict judge(Policy policy, Route route, Caller caller, Call call, Reading.Batch batch) {
        List<Charge> charges = new ArrayList<>();
        for (McpMessage message : batch.messages()) {
            charges.add(charge(route, message, caller.client()));
        }
        Charge together;
        try {
            together = Charge.together(charges);
        } catch (IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage());
            return new Verdict.Oversized(Forms.of(route.refusalForm(), call), route.prefix(), why);
        }
        return charge(policy, route, caller.principal(), call, together);
    }

    /** What a message is charged on a route. */
    static Charge charge(Route route, @Nullable McpMessage message, @Nullable String client) {
        ToolRule rule = rule(route, message);
        return rule == null ? route.other() : rule.of(client).charge();
    }

    private Verdict charge(Policy policy, Route route, Principal principal, Call call, Charge charge) {
        Outcome outcome = buckets.take(principal.key(), charge);
        if (outcome instanceof Outcome.Refused refused) {
            return Methods.alwaysPasses(call)
                    ? new Verdict.Admit(route.prefix(), null)
                    : refuse(principal, call, route, refused, policy.banRule());
        }
        return new Verdict.Admit(route.prefix(), (Outcome.Taken) outcome);
    }

    /** What is written of the tool that would run, or of the method; null if there is nothing of its own. */
    static @Nullable ToolRule rule(Route route, @Nullable McpMessage message) {
        String tool = message == null ? null : message.tool();
        String method = message == null ? null : message.method();
        return tool != null ? route.tool(tool) : method != null ? route.method(method) : null;
    }

    /**
     * Judges a call of somebody who has not proven who it is, where that is asked for. Such a caller is charged under its
     * address only, takes nothing from anybody else, and is never banned.
     *
     * @return {@link Verdict.Admit} if the caller may be told that it has to prove itself; else {@link Verdict.Throttle}
     */
    public Verdict decideUnproven(Principal address, Call call) {
        Policy policy = policies.current();
        return decideUnproven(policy, address, call, policy.unproven());
    }

    /**
     * Judges whether a token may be checked that somebody has presented: as one who has proven nothing. What was taken is given
     * back by {@link Verdict.Admit#cancel}, to be called if the token is good; and if it is not, {@link Verdict.Admit#release}
     * is to be called when the check is over.
     */
    public Verdict decideUnchecked(Principal address, Call call) {
        Policy policy = policies.current();
        return decideUnproven(policy, address, call, policy.unchecked());
    }

    private Verdict decideUnproven(Policy policy, Principal address, Call call, Charge charge) {
        Route route = policy.route(call.path());
        Outcome outcome = unproven.take(address.key(), charge);
        if (outcome instanceof Outcome.Refused refused) {
            String prefix = route == null ? call.path() : route.prefix();
            Verdict verdict = throttle(Form.HTTP_STATUS, prefix, call, refused, NO_STRIKE, 0);
            return decisions.countUnproven(address, route == null ? null : route.prefix(), verdict);
        }
        Outcome.Taken taken = (Outcome.Taken) outcome;
        return new Verdict.Admit(route == null ? null : route.prefix(), taken.reservation() == null ? null : taken);
    }

    private Verdict refuse(Principal principal, Call call, Route route, Outcome.Refused outcome, BanRule rule) {
        Form form = Forms.of(route.refusalForm(), call);
        if (!isStrike(call, outcome.by(), outcome.reason())) {
            return throttle(form, route.prefix(), call, outcome, NO_STRIKE, 0);
        }
        dev.weir.ban.Call struck = new dev.weir.ban.Call(
                route.prefix(),
                tool(outcome.by().bucket(), call),
                level(outcome.by(), outcome.reason()),
                call.arrivedNanos(),
                call::arguments);
        BanBook.Strike strike = bans.strike(principal.key(), struck, rule);
        Standing ban = strike.ban();
        if (ban != null && (call.tool() != null || ban.shutsAll())) {
            return shut(ban, route, call);
        }
        int untilBan = Math.max(0, rule.threshold() + 1 - strike.strikes());
        return throttle(form, route.prefix(), call, outcome, strike, untilBan);
    }

    /** Only what the caller's own buckets refuse is the caller's own doing; a cool-down has been paid for already. */
    static boolean isStrike(Call call, Take by, Outcome.Reason reason) {
        return reason != Outcome.Reason.COOLING && by.bucket().level().personal() && Methods.canStrike(call);
    }

    private static Verdict throttle(
            Form form, String route, Call call, Outcome.Refused outcome, BanBook.Strike strike, int untilBan) {
        Take take = outcome.by();
        return new Verdict.Throttle(
                form,
                route,
                tool(take.bucket(), call),
                level(outcome.by(), outcome.reason()),
                take.tier().cooldownNanos() > 0 && outcome.reason() != Outcome.Reason.BLOCKED,
                wait(outcome.waitNanos(), outcome.reason()),
                Quota.of(take, outcome.owedNanos()),
                strike.strikes(),
                untilBan,
                strike.holdNanos(),
                strike.answered());
    }

    /** What the bucket that refused is of, if it is of one thing; else what the call would run. */
    private static @Nullable String tool(BucketName bucket, Call call) {
        boolean named = bucket.level().ofOneTool() && !bucket.tool().equals(BucketName.UNREGISTERED);
        return named ? bucket.tool() : call.tool();
    }

    static String level(Take by, Outcome.Reason reason) {
        return reason == Outcome.Reason.BUSY
                ? Decisions.CONCURRENCY
                : by.bucket().level().word();
    }

    /** What a caller is told of a wait. */
    static long wait(long nanos, Outcome.Reason reason) {
        if (nanos == Outcome.NEVER) {
            return Verdict.NEVER;
        }
        return reason == Outcome.Reason.BUSY ? 0 : nanos;
    }

    private static Verdict shut(Standing ban, Route route, Call call) {
        Form form = call.tool() == null ? Form.HTTP_STATUS : Forms.of(route.refusalForm(), call);
        return new Verdict.Shut(form, route.prefix(), ban);
    }

    /** What the caller may not do of all that it asks for; null if it may do it. */
    static Verdict.@Nullable Forbid forbid(Route route, Caller caller, Call call) {
        Permissions.Denial denial = Permissions.onRoute(route, caller);
        if (denial != null) {
            return new Verdict.Forbid(
                    Form.HTTP_STATUS, route.prefix(), null, denial.why(), denial.remedy(), denial.scopes());
        }
        if (call.batch() == null) {
            return call.message() == null ? null : forbid(route, caller, call, call.message());
        }
        for (McpMessage message : call.batch().messages()) {
            Verdict.Forbid forbid = forbid(route, caller, call, message);
            if (forbid != null) {
                return forbid;
            }
        }
        return null;
    }

    private static Verdict.@Nullable Forbid forbid(Route route, Caller caller, Call call, McpMessage message) {
        ToolRule rule = rule(route, message);
        Permissions.Denial denial =
                rule == null ? null : Permissions.onTool(route, caller, rule, message.tool() != null);
        if (rule == null || denial == null) {
            return null;
        }
        String name = message.tool() != null ? message.tool() : rule.name();
        return new Verdict.Forbid(
                form(route, call, denial), route.prefix(), name, denial.why(), denial.remedy(), denial.scopes());
    }

    /** What makes a client log in, or ask for more, is a status. */
    private static Form form(Route route, Call call, Permissions.Denial denial) {
        Form usual = Forms.of(route.refusalForm(), call);
        return denial.remedy() == Verdict.Remedy.NONE || usual == Form.DROPPED ? usual : Form.HTTP_STATUS;
    }
}
