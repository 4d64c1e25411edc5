package dev.weir.admin;

import dev.weir.rest.Answer;
import dev.weir.rest.EventStream;
import dev.weir.rest.Operator;
import dev.weir.rest.Problem;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What all nodes are at, for those who watch. A watcher that is slow costs no thread and holds nobody up. Safe for many threads. */
public final class Live {

    /** The most who may watch at a time. */
    static final int MOST_WATCHERS = 50;

    private record Watcher(EventStream stream, Operator operator) {}

    private final Node node;
    private final Pulse pulse;
    private final Neighbours neighbours;
    private final InstantSource clock;
    private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
    private final AtomicInteger places = new AtomicInteger();

    /** @param clock the wall clock */
    public Live(Node node, Pulse pulse, Neighbours neighbours, InstantSource clock) {
        this.node = node;
        this.pulse = pulse;
        this.neighbours = neighbours;
        this.clock = clock;
    }

    /** Whether anybody watches here. */
    public boolean hasWatchers() {
        return !watchers.isEmpty();
    }

    /** What this node is at, at this very moment. */
    public Sample sample() {
        pulse.feel(hasWatchers() || neighbours.isWatched());
        return pulse.sample(node);
    }

    /** Feels the pulse, and tells whoever watches. To be called several times a second. */
    public void beat() {
        pulse.feel(hasWatchers() || neighbours.isWatched());
        tell();
    }

    /** Tells whoever watches how things are now. */
    public void tell() {
        if (!hasWatchers()) {
            return;
        }
        EventStream.Event event = EventStream.event("live", now());
        for (Watcher watcher : watchers) {
            if (watcher.operator().isStillGood()) {
                watcher.stream().send(event);
            } else {
                watcher.stream().end();
            }
        }
    }

    /** Ends all streams. */
    public void close() {
        watchers.forEach(watcher -> watcher.stream().end());
    }

    /**
     * The stream of one who watches.
     *
     * @throws Problem 503 if there are too many
     */
    Answer watch(Operator operator) throws Problem {
        if (places.incrementAndGet() > MOST_WATCHERS) {
            places.decrementAndGet();
            throw Problem.of(
                            503,
                            "too_many_watchers",
                            MOST_WATCHERS + " streams are open at this node, and more there cannot be.")
                    .with("Retry-After", "5");
        }
        return Answer.events(stream -> begin(stream, operator));
    }

    private void begin(EventStream stream, Operator operator) {
        Watcher watcher = new Watcher(stream, operator);
        stream.onEnd(() -> {
            watchers.remove(watcher);
            places.decrementAndGet();
        });
        stream.send(EventStream.event("past", past()));
        watchers.add(watcher);
        pulse.feel(true);
        stream.send(EventStream.event("live", now()));
    }

    private Map<String, Object> past() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("node", node.name());
        members.put("id", node.id());
        members.put("seconds", pulse.past().stream().map(Live::second).toList());
        return members;
    }

    private static Map<String, Object> second(Pulse.Second second) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("at", Utc.text(second.at()));
        members.put("requests", second.requests());
        members.put("admitted", second.admitted());
        members.put("throttled", second.throttled());
        members.put("banned", second.banned());
        return members;
    }

    private Map<String, Object> now() {
        Sample own = pulse.sample(node);
        List<Map<String, Object>> nodes = new ArrayList<>();
        List<Map<String, Object>> principals = new ArrayList<>();
        List<Map<String, Object>> tools = new ArrayList<>();
        List<Map<String, Object>> breakers = new ArrayList<>();
        Map<String, Object> here = named(node.name(), node.id());
        here.put("here", true);
        here.put("away", false);
        here.put("seenAt", Utc.text(clock.instant()));
        numbers(here, own);
        nodes.add(here);
        tops(node.name(), node.id(), own, principals, tools);
        node.breakers().forEach(circuit -> breakers.add(breaker(node.name(), node.id(), circuit)));
        for (Neighbours.Other other : neighbours.others()) {
            Map<String, Object> there = named(other.name(), other.id());
            there.put("here", false);
            there.put("away", other.away());
            there.put("seenAt", Utc.text(other.seenAt()));
            Sample sample = other.away() ? null : other.sample();
            numbers(there, sample);
            nodes.add(there);
            if (sample != null) {
                tops(other.name(), other.id(), sample, principals, tools);
                sample.breakers().forEach(circuit -> breakers.add(breaker(other.name(), other.id(), circuit)));
            }
        }
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("at", Utc.text(clock.instant()));
        event.put("nodes", nodes);
        event.put("principals", most(principals));
        event.put("tools", most(tools));
        event.put("breakers", breakers);
        return event;
    }

    private static Map<String, Object> named(String name, String id) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("node", name);
        members.put("id", id);
        return members;
    }

    private static void numbers(Map<String, Object> members, @Nullable Sample sample) {
        if (sample == null) {
            return;
        }
        members.put("requests", sample.requests());
        members.put("admitted", sample.admitted());
        members.put("throttled", sample.throttled());
        members.put("banned", sample.banned());
        members.put("forbidden", sample.forbidden());
        members.put("exchanges", sample.exchanges());
        members.put("bansActive", sample.bansActive());
        members.put("policyOk", sample.policyOk());
        members.put("databaseUp", sample.databaseUp());
    }

    private static void tops(
            String name,
            String id,
            Sample sample,
            List<Map<String, Object>> principals,
            List<Map<String, Object>> tools) {
        for (Sample.OfPrincipal one : sample.principals()) {
            Map<String, Object> members = named(name, id);
            members.put("principal", one.principal());
            members.put("calls", one.calls());
            members.put("throttled", one.throttled());
            principals.add(members);
        }
        for (Sample.OfTool one : sample.tools()) {
            Map<String, Object> members = named(name, id);
            members.put("route", one.route());
            members.put("tool", one.tool());
            members.put("calls", one.calls());
            members.put("throttled", one.throttled());
            members.put("banned", one.banned());
            tools.add(members);
        }
    }

    private static List<Map<String, Object>> most(List<Map<String, Object>> all) {
        return all.stream()
                .sorted(Comparator.comparingDouble((Map<String, Object> one) -> (Double) one.get("calls"))
                        .reversed())
                .limit(Pulse.TOP)
                .toList();
    }

    private static Map<String, Object> breaker(String name, String id, Sample.Circuit circuit) {
        Map<String, Object> members = named(name, id);
        members.put("route", circuit.route());
        members.put("state", circuit.state());
        members.put("since", circuit.since());
        if (circuit.nextProbe() != null) {
            members.put("nextProbe", circuit.nextProbe());
        }
        return members;
    }
}
