package dev.weir.app;

import dev.weir.alert.AlertState;
import dev.weir.policy.PolicyProblem;
import dev.weir.upstream.Breaker;
import dev.weir.upstream.Targets;
import dev.weir.web.ProbeServlet;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the probes are told, from memory. Safe for use by many threads. */
final class Probes {

    private final Conditions conditions;

    Probes(Conditions conditions) {
        this.conditions = conditions;
    }

    /** Whether this process works at all. */
    static ProbeServlet.Answer live() {
        return new ProbeServlet.Answer(true, Map.of("status", "up"));
    }

    /** Whether requests can be served: the tables' policy, the buckets and the bans of before are in memory. */
    boolean isReady() {
        return conditions.isReady();
    }

    /** Why requests cannot be served yet, as one sentence without secrets; null if they can. */
    @Nullable
    String missing() {
        if (isReady()) {
            return null;
        }
        String missing = conditions.database().missing();
        String policy = policyTrouble();
        return missing != null ? missing : policy == null ? "no policy has been read yet" : policy;
    }

    /** Both, for whoever asks. */
    ProbeServlet.Answer ready() {
        String missing = conditions.isStopping() ? "stopping" : missing();
        if (missing == null) {
            return new ProbeServlet.Answer(true, Map.of("status", "ready"));
        }
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("status", "not_ready");
        members.put("reason", missing);
        return new ProbeServlet.Answer(false, members);
    }

    /** How things are, part by part. Degraded is not bad: limits, bans and policy go on from memory. */
    ProbeServlet.Answer health() {
        return health(true);
    }

    /** The same for whoever is not to learn the addresses of upstreams. */
    ProbeServlet.Answer healthWithoutAddresses() {
        return health(false);
    }

    private ProbeServlet.Answer health(boolean addresses) {
        DatabaseWatch database = conditions.database();
        String policy = policyTrouble();
        String trouble = database.trouble();
        List<String> reasons = new ArrayList<>();
        add(reasons, policy);
        add(reasons, trouble == null ? null : "database: " + trouble);
        add(
                reasons,
                trouble == null && database.listener() == Changes.State.LOST
                        ? "the database tells of no changes: they are found by looking"
                        : null);
        add(reasons, database.isDropping() ? "rows of throttles are dropped" : null);
        add(reasons, conditions.isIssuerAway() ? "the issuer of tokens does not tell its keys" : null);
        Map<String, Object> receivers = receivers(reasons);
        Map<String, Object> circuits = circuits(reasons);
        Map<String, Object> upstreams = addresses ? upstreams(reasons) : targetCounts(reasons);
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("status", reasons.isEmpty() ? "up" : "degraded");
        if (!reasons.isEmpty()) {
            members.put("reason", String.join("; ", reasons));
        }
        members.put("policy", policy != null ? policy : conditions.isPolicyLoaded() ? "in force" : "not read yet");
        members.put("database", trouble == null ? "up" : trouble);
        if (database.listener() != Changes.State.NONE) {
            members.put("change_listener", database.listener() == Changes.State.LOST ? "lost" : "listening");
        }
        members.put("writes_waiting", database.waiting());
        members.put("throttles_dropped", database.dropped());
        members.put("exchanges", conditions.exchanges().size());
        String issuer = conditions.issuer();
        if (issuer != null) {
            members.put("issuer", issuer);
        }
        if (addresses && !receivers.isEmpty()) {
            members.put("alerts", receivers);
        }
        members.put("breakers", circuits);
        members.put("upstreams", upstreams);
        return new ProbeServlet.Answer(true, members);
    }

    /** What was wrong with the last attempt to tell each receiver of alerts, by their names. */
    private Map<String, Object> receivers(List<String> reasons) {
        Map<String, Object> receivers = new LinkedHashMap<>();
        List<AlertState> states = conditions.receivers();
        states.forEach(state -> {
            String trouble = state.trouble();
            receivers.put(state.target(), trouble == null ? "ok" : trouble);
        });
        boolean all = states.stream().allMatch(state -> state.trouble() == null);
        add(reasons, all ? null : "a receiver of alerts does not take them");
        return receivers;
    }

    /** How the targets are, by route and address. */
    private Map<String, Object> upstreams(List<String> reasons) {
        Map<String, Map<String, Object>> routes = new LinkedHashMap<>();
        for (Targets.State state : conditions.targets()) {
            Map<String, Object> target = new LinkedHashMap<>();
            target.put("state", state.up() ? "up" : "down");
            target.put("since", state.since().truncatedTo(ChronoUnit.MILLIS));
            target.put("by", state.by());
            routes.computeIfAbsent(state.route(), route -> new LinkedHashMap<>())
                    .put(state.target().toString(), target);
            if (!state.up()) {
                reasons.add("the target [" + state.target() + "] of [" + state.route() + "] is down");
            }
        }
        return new LinkedHashMap<>(routes);
    }

    /** How many targets are up and down, by route. */
    private Map<String, Object> targetCounts(List<String> reasons) {
        Map<String, Map<String, Integer>> routes = new LinkedHashMap<>();
        for (Targets.State state : conditions.targets()) {
            Map<String, Integer> counts = routes.computeIfAbsent(state.route(), route -> new LinkedHashMap<>());
            counts.merge("up", state.up() ? 1 : 0, Integer::sum);
            counts.merge("down", state.up() ? 0 : 1, Integer::sum);
        }
        routes.forEach((route, counts) -> {
            if (counts.getOrDefault("down", 0) > 0) {
                reasons.add("a target of [" + route + "] is down");
            }
        });
        return new LinkedHashMap<>(routes);
    }

    /** How the breakers stand, by route. */
    private Map<String, Object> circuits(List<String> reasons) {
        Map<String, Object> circuits = new LinkedHashMap<>();
        conditions.circuits().forEach(each -> {
            Map<String, Object> circuit = new LinkedHashMap<>();
            circuit.put("state", each.state().word());
            circuit.put("since", each.since().truncatedTo(ChronoUnit.MILLIS));
            Instant next = each.nextProbe();
            if (next != null) {
                circuit.put("next_probe", next.truncatedTo(ChronoUnit.MILLIS));
            }
            circuits.put(each.route(), circuit);
            if (each.state() != Breaker.State.CLOSED) {
                reasons.add("the circuit of [" + each.route() + "] is "
                        + each.state().word());
            }
        });
        return circuits;
    }

    private @Nullable String policyTrouble() {
        List<PolicyProblem> problems = conditions.policyProblems();
        return problems.isEmpty() ? null : "policy rejected: " + problems.get(0);
    }

    private static void add(List<String> reasons, @Nullable String reason) {
        if (reason != null) {
            reasons.add(reason);
        }
    }
}
