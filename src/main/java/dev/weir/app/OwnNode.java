package dev.weir.app;

import dev.weir.admin.Neighbours;
import dev.weir.admin.Node;
import dev.weir.admin.Sample;
import dev.weir.admin.Utc;
import dev.weir.upstream.Targets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** This Weir, as far as operators want to see it: from memory, waiting for nothing. Safe for use by many threads. */
final class OwnNode implements Node {

    private final NodeName name;
    private final Conditions conditions;
    private final LiveDesk.Deciding deciding;
    private final Neighbours neighbours;
    private final InstantSource clock;

    OwnNode(
            NodeName name,
            Conditions conditions,
            LiveDesk.Deciding deciding,
            Neighbours neighbours,
            InstantSource clock) {
        this.name = name;
        this.conditions = conditions;
        this.deciding = deciding;
        this.neighbours = neighbours;
        this.clock = clock;
    }

    @Override
    public String name() {
        return name.host();
    }

    @Override
    public String id() {
        return name.id();
    }

    @Override
    public int exchanges() {
        return conditions.exchanges().size();
    }

    @Override
    public long bansActive() {
        return deciding.bans().active();
    }

    @Override
    public boolean isPolicyOk() {
        return conditions.isPolicyOk();
    }

    @Override
    public boolean isDatabaseUp() {
        return conditions.database().isUp();
    }

    @Override
    public List<Sample.Circuit> breakers() {
        return conditions.circuits().stream().map(OwnNode::circuit).toList();
    }

    private static Sample.Circuit circuit(Conditions.Circuit each) {
        Instant next = each.nextProbe();
        return new Sample.Circuit(
                each.route(), each.state().word(), time(each.since()), next == null ? null : time(next));
    }

    @Override
    public Map<String, Object> state() {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("node", name.host());
        state.put("id", name.id());
        state.put("startedAt", time(name.startedAt()));
        state.put("ready", conditions.isReady() && !conditions.isStopping());
        state.put("policy", policy());
        state.put("database", database());
        state.put("breakers", breakers());
        state.put(
                "upstreams", conditions.targets().stream().map(OwnNode::target).toList());
        int calls = conditions.exchanges().calls();
        state.put("exchanges", Map.of("calls", calls, "streams", Math.max(0, exchanges() - calls)));
        state.put("bansActive", bansActive());
        state.put("buckets", deciding.buckets().principals());
        Runtime process = Runtime.getRuntime();
        state.put("memory", Map.of("used", process.totalMemory() - process.freeMemory(), "max", process.maxMemory()));
        String issuer = conditions.issuer();
        if (issuer != null) {
            state.put("issuer", issuer);
        }
        List<Map<String, Object>> receivers = receivers();
        if (!receivers.isEmpty()) {
            state.put("alerts", receivers);
        }
        state.put("nodes", nodes());
        return state;
    }

    private Map<String, Object> policy() {
        List<Map<String, Object>> problems = new ArrayList<>();
        conditions.policyProblems().forEach(problem -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("table", problem.table());
            one.put("row", problem.row());
            one.put("rule", problem.rule());
            problems.add(one);
        });
        return Map.of("inForce", conditions.isPolicyOk(), "problems", problems);
    }

    private Map<String, Object> database() {
        DatabaseWatch watch = conditions.database();
        String trouble = watch.trouble();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("up", trouble == null);
        put(members, "trouble", trouble);
        if (watch.listener() != Changes.State.NONE) {
            members.put("listener", watch.listener() == Changes.State.LOST ? "lost" : "listening");
        }
        members.put("writesWaiting", watch.waiting());
        members.put("throttlesDropped", watch.dropped());
        return members;
    }

    private static Map<String, Object> target(Targets.State target) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("route", target.route());
        members.put("target", target.target().toString());
        members.put("state", target.up() ? "up" : "down");
        members.put("since", time(target.since()));
        members.put("by", target.by());
        return members;
    }

    private List<Map<String, Object>> receivers() {
        List<Map<String, Object>> all = new ArrayList<>();
        conditions.receivers().forEach(state -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("target", state.target());
            put(one, "trouble", state.trouble());
            one.put("waiting", state.waiting());
            one.put("delivered", state.delivered());
            one.put("failed", state.failed());
            one.put("dropped", state.dropped());
            all.add(one);
        });
        return all;
    }

    private List<Map<String, Object>> nodes() {
        List<Map<String, Object>> all = new ArrayList<>();
        all.add(node(name.host(), name.id(), clock.instant(), true, false));
        neighbours
                .others()
                .forEach(other -> all.add(node(other.name(), other.id(), other.seenAt(), false, other.away())));
        return all;
    }

    private static Map<String, Object> node(String host, String id, Instant seenAt, boolean here, boolean away) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("node", host);
        members.put("id", id);
        members.put("seenAt", time(seenAt));
        members.put("here", here);
        members.put("away", away);
        return members;
    }

    private static void put(Map<String, Object> members, String name, @Nullable Object value) {
        if (value != null) {
            members.put(name, value);
        }
    }

    private static String time(Instant instant) {
        return Utc.text(instant);
    }
}
