package dev.weir.upstream;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which of a route's targets a call goes to. An owner's calls go to one target, which follows from the two alone, so that all nodes
 * agree and nothing has to be remembered; while that one is down they go to the owner's next. A session stays where it was opened.
 *
 * <p>Safe for use by many threads.
 */
public final class Targets {

    /**
     * How one target of a route is.
     *
     * @param since when it came to be so
     * @param by    what it came to be so by
     */
    public record State(String route, URI target, boolean up, Instant since, String by) {}

    private record Key(String route, URI target) {}

    private final Map<Key, TargetHealth> health = new ConcurrentHashMap<>();
    private final Sessions sessions;
    private final TargetRule rule;
    private final LongSupplier nanoClock;
    private final InstantSource wallClock;

    /** @param nanoClock a monotonic clock, in nanoseconds */
    public Targets(LongSupplier nanoClock, InstantSource wallClock) {
        this(TargetRule.DEFAULT, nanoClock, wallClock);
    }

    Targets(TargetRule rule, LongSupplier nanoClock, InstantSource wallClock) {
        this.rule = rule;
        this.nanoClock = nanoClock;
        this.wallClock = wallClock;
        this.sessions = new Sessions(nanoClock);
    }

    /**
     * The way of one call, which has to be told how the call ends.
     *
     * @param owner   whose call it is
     * @param session the session that it names; null for none
     */
    public TargetCall choose(Upstream route, String owner, @Nullable String session) {
        List<URI> ranked = ranked(route, owner);
        URI home = ranked.size() == 1 ? null : sessions.find(route.prefix(), owner, session);
        if (home != null && ranked.remove(home)) {
            ranked.add(0, home);
        }
        boolean asked = route.fleet().check() != null;
        URI first = ranked.get(0);
        for (URI target : ranked) {
            if (ranked.size() == 1 || health(route, target).takes(asked)) {
                first = target;
                break;
            }
        }
        // Those that are down may be back, and are better than nothing.
        List<URI> next = new ArrayList<>();
        List<URI> down = new ArrayList<>();
        for (URI target : ranked) {
            if (!target.equals(first)) {
                (health(route, target).isUp() ? next : down).add(target);
            }
        }
        next.addAll(down);
        return new TargetCall(this, route, owner, first, next);
    }

    /** The way of a call that only one target can answer. */
    public TargetCall fixed(Upstream route, String owner, URI target) {
        return new TargetCall(this, route, owner, target, List.of());
    }

    /** A session was opened, or used. */
    void opened(Upstream route, String owner, String session, URI target) {
        sessions.put(route.prefix(), owner, session, target);
    }

    TargetHealth health(Upstream route, URI target) {
        return health.computeIfAbsent(
                new Key(route.prefix(), target),
                key -> new TargetHealth(route.prefix(), target, rule, nanoClock, wallClock));
    }

    /** Gets to know the targets of these routes, and forgets all others. To be called now and then. */
    public void retain(Collection<Upstream> routes) {
        Set<Key> known = new HashSet<>();
        for (Upstream route : routes) {
            for (URI target : route.targets()) {
                known.add(new Key(route.prefix(), target));
                TargetHealth unused = health(route, target);
            }
        }
        health.keySet().retainAll(known);
    }

    /** How all targets are, in the order of routes and addresses. */
    public List<State> states() {
        return health.values().stream()
                .map(TargetHealth::state)
                .sorted(Comparator.comparing(State::route)
                        .thenComparing(state -> state.target().toString()))
                .toList();
    }

    /**
     * The targets as one owner prefers them: by what each scores together with the owner, so that when one comes or goes, only its
     * own owners move.
     *
     * @see <a href="https://en.wikipedia.org/wiki/Rendezvous_hashing">Rendezvous hashing</a>
     */
    private static List<URI> ranked(Upstream route, String owner) {
        List<URI> all = new ArrayList<>(route.targets());
        if (all.size() > 1) {
            long whose = hash(owner);
            all.sort(Comparator.comparingLong((URI target) -> mixed(whose ^ mixed(hash(target.toString()))))
                    .reversed());
        }
        return all;
    }

    /** FNV-1a. */
    private static long hash(String text) {
        long hash = 0xcbf29ce484222325L;
        for (byte next : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (next & 0xff)) * 0x100000001b3L;
        }
        return hash;
    }

    /** The finalizer of MurmurHash3, after which every bit depends on every other. */
    private static long mixed(long hash) {
        long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }
}
