package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.gate.Explainer;
import dev.weir.limit.BucketState;
import dev.weir.limit.LocalBuckets;
import dev.weir.limit.Tier;
import dev.weir.policy.PolicyBook;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Operation;
import dev.weir.rest.Parameter;
import dev.weir.rest.Schema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The live buckets of this node, looked at without being disturbed. */
public final class BucketOperations {

    private static final int MOST = 500;
    private static final int LONGEST = 2_048;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final PolicyBook policies;
    private final LocalBuckets buckets;
    private final Explainer explainer;

    public BucketOperations(PolicyBook policies, LocalBuckets buckets, Explainer explainer) {
        this.policies = policies;
        this.buckets = buckets;
        this.explainer = explainer;
    }

    /** All of them. */
    public List<Operation> all() {
        Schema count = Schema.whole(0, Long.MAX_VALUE);
        Schema item = Schema.of("Bucket")
                .member("principal", Schema.text(LONGEST).meaning("whose it is; empty for a shared one"))
                .member("level", levels())
                .member("route", Schema.text(LONGEST))
                .member("tool", Schema.text(LONGEST).meaning("the tool or the method; empty for all unregistered ones"))
                .member("tier", Schema.text(255).orNull().meaning("null if the policy has none for it any more"))
                .member("limit", Schema.number().meaning("tokens that come back in a second"))
                .member("burst", count)
                .member("tokensLeft", count)
                .member("fullInMs", count)
                .member("coolingMs", count.meaning("until the cool-down ends; 0 if it is not cooling down"))
                .member("inFlight", count.meaning("calls in flight, where they are counted"));
        Schema strikes = Schema.of("Strikes")
                .member("count", count)
                .member("threshold", count)
                .member("windowSeconds", count);
        Schema answer = Schema.of("Buckets")
                .member("items", Schema.list(item))
                .maybe("strikes", strikes.meaning("of the principal that was asked about"));
        return List.of(Operation.get(
                        "/v1/buckets",
                        Role.VIEWER,
                        "listBuckets",
                        "Lists the buckets of this node that are not as good as new, the most indebted first.",
                        answer,
                        this::list)
                .taking(
                        Parameter.query("principal", Schema.text(LONGEST), "only its own buckets"),
                        Parameter.query("route", Schema.text(LONGEST), "only those of this route"),
                        Parameter.query("tool", Schema.text(LONGEST), "only those of this tool or method"),
                        Parameter.query("level", levels(), "only those of this level"),
                        Parameter.query("limit", Schema.whole(1, MOST), "the most items")));
    }

    private static Schema levels() {
        return Schema.oneOf("tool", "method", "channel", "route", "global");
    }

    private Answer list(Ask ask) {
        String principal = ask.text("principal");
        String route = ask.text("route");
        String tool = ask.text("tool");
        String level = ask.text("level");
        List<Map<String, Object>> items = buckets
                .states(
                        principal,
                        state -> (principal == null || state.principal().equals(principal))
                                && (route == null || state.bucket().route().equals(route))
                                && (tool == null || state.bucket().tool().equals(tool))
                                && (level == null
                                        || state.bucket().level().word().equals(level)),
                        (int) ask.whole("limit", MOST))
                .stream()
                .map(this::item)
                .toList();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("items", items);
        if (principal != null) {
            Map<String, Object> strikes = new LinkedHashMap<>();
            strikes.put("count", explainer.strikes(principal).strikes());
            strikes.put("threshold", policies.current().banRule().threshold());
            strikes.put("windowSeconds", policies.current().banRule().window().toSeconds());
            members.put("strikes", strikes);
        }
        return Answer.json(members);
    }

    private Map<String, Object> item(BucketState state) {
        Tier tier = explainer.tier(state.principal(), state.bucket());
        Map<String, Object> item = new LinkedHashMap<>();
        item.put("principal", state.principal());
        item.put("level", state.bucket().level().word());
        item.put("route", state.bucket().route());
        item.put("tool", state.bucket().tool());
        item.put("tier", tier == null ? null : tier.name());
        item.put("limit", state.limit().ratePerSecond());
        item.put("burst", state.limit().capacity());
        item.put("tokensLeft", state.limit().tokensLeft(state.owedNanos()));
        item.put("fullInMs", millis(state.owedNanos()));
        item.put("coolingMs", millis(state.shutNanos()));
        item.put("inFlight", Math.max(0, state.inFlight()));
        return item;
    }

    private static long millis(long nanos) {
        return (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    }
}
