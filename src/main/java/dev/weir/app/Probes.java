package dev.weir.app;

import dev.weir.policy.PolicyProblem;
import dev.weir.proxy.Exchanges;
import dev.weir.upstream.Breaker;
import dev.weir.upstream.Targets;
import dev.weir.web.ProbeServlet;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What the probes are told, from memory. Safe for use by many threads. */
final class Probes {

    private final PolicyKeeper keeper;
    private final DatabaseWatch database;
    private final Exchanges exchanges;
    private final PolicyRoutes routes;
    private final Targets targets;
    private final BooleanSupplier stopping;
    private volatile @Nullable IssuerLink issuer;
    private volatile @Nullable AlertLink alerts;

    Probes(
            PolicyKeeper keeper,
            DatabaseWatch database,
            Exchanges exchanges,
            PolicyRoutes routes,
            Targets targets,
            BooleanSupplier stopping) {
        this.keeper = keeper;
        this.database = database;
        this.exchanges = exchanges;
        this.routes = routes;
        this.targets = targets;
        this.stopping = stopping;
    }

    /** Adds how it stands with the authorization server. */
    void add(IssuerLink link) {
        issuer = link;
    }

    /** Adds how it stands with the receivers of alerts. */
    void add(AlertLink link) {
        alerts = link;
    }

    /** Whether this process works at all. */
    static ProbeServlet.Answer live() {
        return new ProbeServlet.Answer(true, Map.of("status", "up"));
    }

    /** Whether requests can be served: the tables' policy, the buckets and the bans of before are in memory. */
    boolean isReady() {
        return database.missing() == null && keeper.isLoaded();
    }

    /** Why requests cannot be served yet, as one sentence without secrets; null if they can. */
    @Nullable
    String missing() {
        if (isReady()) {
            return null;
        }
        String missing = database.missing();
        String policy = policyTrouble();
        return missing != null ? missing : policy == null ? "no policy has been read yet" : policy;
    }

    /** Both, for whoever asks. */
    ProbeServlet.Answer ready() {
        String missing = stopping.getAsBoolean() ? "stopping" : missing();
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
        IssuerLink link = issuer;
        add(reasons, link != null && link.isAway() ? "the issuer of tokens does not tell its keys" : null);
        Map<String, Object> receivers = receivers(reasons);
        Map<String, Object> circuits = circuits(reasons);
        Map<String, Object> upstreams = addresses ? upstreams(reasons) : targetCounts(reasons);
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("status", reasons.isEmpty() ? "up" : "degraded");
        if (!reasons.isEmpty()) {
            members.put("reason", String.join("; ", reasons));
        }
        members.put("policy", policy != null ? policy : keeper.isLoaded() ? "in force" : "not read yet");
        members.put("database", trouble == null ? "up" : trouble);
        if (database.listener() != Changes.State.NONE) {
            members.put("change_listener", database.listener() == Changes.State.LOST ? "lost" : "listening");
        }
        members.put("writes_waiting", database.waiting());
        members.put("throttles_dropped", database.dropped());
        members.put("exchanges", exchanges.size());
        if (link != null && link.state() != null) {
            members.put("issuer", link.state());
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
        AlertLink link = alerts;
        if (link != null) {
            link.states().forEach(state -> {
                String trouble = state.trouble();
                receivers.put(state.target(), trouble == null ? "ok" : trouble);
            });
            boolean all = link.states().stream().allMatch(state -> state.trouble() == null);
            add(reasons, all ? null : "a receiver of alerts does not take them");
        }
        return receivers;
    }

    /** How the targets are, by route and address. */
    private Map<String, Object> upstreams(List<String> reasons) {
        Map<String, Map<String, Object>> routes = new LinkedHashMap<>();
        for (Targets.State state : targets.states()) {
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
        for (Targets.State state : targets.states()) {
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
        Map<String, Object> circuits = new TreeMap<>();
        routes.breakers().forEach((route, breaker) -> {
            Breaker.Standing standing = breaker.standing();
            Map<String, Object> circuit = new LinkedHashMap<>();
            circuit.put("state", standing.state().word());
            circuit.put("since", standing.since().truncatedTo(ChronoUnit.MILLIS));
            if (standing.state() == Breaker.State.OPEN) {
                circuit.put("next_probe", standing.until().truncatedTo(ChronoUnit.MILLIS));
            }
            circuits.put(route, circuit);
            if (standing.state() != Breaker.State.CLOSED) {
                reasons.add(
                        "the circuit of [" + route + "] is " + standing.state().word());
            }
        });
        return circuits;
    }

    private @Nullable String policyTrouble() {
        List<PolicyProblem> problems = keeper.problems();
        return problems.isEmpty() ? null : "policy rejected: " + problems.get(0);
    }

    private static void add(List<String> reasons, @Nullable String reason) {
        if (reason != null) {
            reasons.add(reason);
        }
    }
}
