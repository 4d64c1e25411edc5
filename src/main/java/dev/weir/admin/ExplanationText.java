package dev.weir.admin;

import dev.weir.auth.Caller;
import dev.weir.ban.Ban;
import dev.weir.ban.Outlook;
import dev.weir.ban.Standing;
import dev.weir.gate.Callers;
import dev.weir.gate.Explanation;
import dev.weir.gate.Origin;
import dev.weir.limit.Forecast;
import dev.weir.limit.Outcome;
import dev.weir.limit.Tier;
import dev.weir.rest.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** An explanation as an answer has it. */
final class ExplanationText {

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Explanation explanation;
    private final Caller caller;
    private final @Nullable String name;

    /** @param name of the tool or the method; null if there is none */
    ExplanationText(Explanation explanation, Caller caller, @Nullable String name) {
        this.explanation = explanation;
        this.caller = caller;
        this.name = name;
    }

    /** What the members are. */
    static Schema schema() {
        Schema origin = Schema.of("Origin")
                .member("table", Schema.text(64))
                .member("key", Schema.object().meaning("the values of the key columns"))
                .member("gives", Schema.list(Schema.text(64)).meaning("what comes from there"))
                .member("row", Schema.flag().meaning("whether there is such a row; if not, a default holds"));
        Schema level = Schema.of("Level")
                .member("level", Schema.oneOf("tool", "method", "channel", "route", "global"))
                .member("tier", Schema.text(255))
                .member("limit", Schema.number().meaning("tokens that come back in a second"))
                .member("burst", count().meaning("the most tokens"))
                .member("cost", count().meaning("tokens that the call takes"))
                .member("tokensLeft", count())
                .member("passes", Schema.flag().meaning("whether this level, for itself, lets the call on"))
                .member("waitMs", count().orNull().meaning("until it does; null for never"))
                .member("cooldownMs", count().meaning("how long the level stays shut once it has refused"))
                .maybe("coolingMs", count().meaning("until the cool-down ends that is under way"))
                .maybe("inFlight", count())
                .maybe("maxConcurrent", count())
                .maybe("maxWaitMs", count().meaning("how long a call may wait instead of being refused"))
                .maybe("reason", Schema.oneOf("empty", "cooling", "busy", "blocked"))
                .member("mode", Schema.oneOf("enforce", "shadow"))
                .member("from", Schema.list(origin).meaning("where the numbers come from"));
        Schema ban = Schema.of("BanNow")
                .member("id", Schema.text(64))
                .member("scope", Schema.oneOf("tools", "all"))
                .member("reason", Schema.text(10_000))
                .member("startedAt", Schema.time())
                .member("expiresAt", Schema.time())
                .member("shutsThis", Schema.flag().meaning("whether it shuts this call"));
        Schema permission = Schema.of("Permission")
                .member("why", Schema.text(1_000))
                .member("remedy", Schema.oneOf("none", "login", "scopes"))
                .member("scopes", Schema.list(Schema.text(1_000)));
        Schema strikes = Schema.of("StrikesNow")
                .member("count", count().meaning("inside the window now"))
                .member("threshold", count().meaning("how many are borne"))
                .member("windowSeconds", count())
                .maybe("bannedForSeconds", count().meaning("how long the next strike would ban; absent if not"));
        return Schema.of("Explanation")
                .member("verdict", Schema.oneOf("admit", "throttle", "shut", "forbid"))
                .member("why", Schema.text(10_000))
                .maybe("level", Schema.text(32).meaning("the level that refuses"))
                .maybe("reason", Schema.oneOf("empty", "cooling", "busy", "blocked"))
                .maybe("until", Schema.time().meaning("until when it is refused, if nothing else is sent"))
                .maybe("retryAfterMs", count())
                .maybe("delayMs", count().meaning("how long an admitted call would wait for its tokens"))
                .maybe("ban", ban)
                .maybe("permission", permission)
                .member("levels", Schema.list(level))
                .maybe("strikes", strikes)
                .member("exempt", Schema.flag())
                .member("assumes", Schema.list(Schema.text(1_000)).meaning("what had to be taken for granted"));
    }

    private static Schema count() {
        return Schema.whole(0, Long.MAX_VALUE);
    }

    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("verdict", word(explanation.verdict()));
        members.put("why", new Why(explanation, name).sentence());
        Explanation.Refusal refusal = explanation.refusal();
        if (refusal != null) {
            members.put("level", refusal.level());
            members.put("reason", word(refusal.reason()));
        }
        Instant until = until();
        if (until != null) {
            members.put("until", Utc.text(until));
        }
        if (explanation.verdict() == Explanation.Kind.THROTTLE && refusal != null && refusal.until() != null) {
            members.put("retryAfterMs", millis(refusal.waitNanos()));
        }
        if (explanation.delayNanos() > 0) {
            members.put("delayMs", millis(explanation.delayNanos()));
        }
        Standing ban = explanation.ban();
        if (ban != null) {
            members.put("ban", ban(ban));
        }
        Explanation.Denial denial = explanation.denial();
        if (denial != null) {
            Map<String, Object> permission = new LinkedHashMap<>();
            permission.put("why", denial.why());
            permission.put("remedy", word(denial.remedy()));
            permission.put("scopes", List.copyOf(new TreeSet<>(denial.scopes())));
            members.put("permission", permission);
        }
        members.put("levels", explanation.levels().stream().map(this::level).toList());
        Outlook strikes = explanation.strikes();
        if (strikes != null) {
            members.put("strikes", strikes(strikes));
        }
        members.put("exempt", explanation.exempt());
        members.put("assumes", assumes());
        return members;
    }

    private @Nullable Instant until() {
        Standing ban = explanation.ban();
        if (explanation.verdict() == Explanation.Kind.SHUT) {
            return ban == null ? null : ban.ban().expiresAt();
        }
        Explanation.Refusal refusal = explanation.refusal();
        return explanation.verdict() == Explanation.Kind.THROTTLE && refusal != null ? refusal.until() : null;
    }

    private Map<String, Object> ban(Standing standing) {
        Ban ban = standing.ban();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", ban.id());
        members.put("scope", ban.scope().word());
        members.put("reason", ban.reason());
        members.put("startedAt", Utc.text(ban.startedAt()));
        members.put("expiresAt", Utc.text(ban.expiresAt()));
        members.put("shutsThis", explanation.verdict() == Explanation.Kind.SHUT);
        return members;
    }

    private Map<String, Object> strikes(Outlook outlook) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("count", outlook.strikes());
        members.put("threshold", explanation.rule().threshold());
        members.put("windowSeconds", explanation.rule().window().toSeconds());
        Duration banned = outlook.bannedFor();
        if (banned != null && explanation.ban() == null) {
            members.put("bannedForSeconds", banned.toSeconds());
        }
        return members;
    }

    private Map<String, Object> level(Explanation.Step step) {
        Forecast.Look look = step.look();
        Tier tier = look.take().tier();
        Outcome.Reason reason = look.reason();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("level", step.name());
        members.put("tier", tier.name());
        members.put("limit", tier.limit().ratePerSecond());
        members.put("burst", tier.limit().capacity());
        members.put("cost", look.take().cost());
        members.put("tokensLeft", look.tokensLeft());
        members.put("passes", reason == null);
        members.put("waitMs", look.waitNanos() == Outcome.NEVER ? null : millis(look.waitNanos()));
        members.put("cooldownMs", tier.cooldownNanos() / NANOS_PER_MILLI);
        if (look.shutNanos() > 0) {
            members.put("coolingMs", millis(look.shutNanos()));
        }
        if (tier.maxConcurrent() > 0) {
            members.put("inFlight", look.inFlight());
            members.put("maxConcurrent", tier.maxConcurrent());
        }
        if (tier.maxWaitNanos() > 0) {
            members.put("maxWaitMs", tier.maxWaitNanos() / NANOS_PER_MILLI);
        }
        if (reason != null) {
            members.put("reason", word(reason));
        }
        members.put("mode", word(tier.mode()));
        members.put("from", step.origin().stream().map(ExplanationText::origin).toList());
        return members;
    }

    private static Map<String, Object> origin(Origin origin) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("table", origin.table());
        members.put("key", origin.key());
        members.put("gives", origin.gives());
        members.put("row", origin.row());
        return members;
    }

    private List<String> assumes() {
        if (Callers.assumesScopes(caller)) {
            return List.of("that its token is good and has every scope that is asked for");
        }
        return caller.proof() == Caller.Proof.KEY
                ? List.of("that it shows a good key")
                : List.of("that nobody has to prove who it is here, or that calls are counted by their address");
    }

    private static long millis(long nanos) {
        return (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    }

    private static String word(Enum<?> one) {
        return one.name().toLowerCase(Locale.ROOT);
    }
}
