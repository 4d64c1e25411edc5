package dev.weir.gate;

import dev.weir.auth.Principal;
import dev.weir.ban.ThrottleEvent;
import dev.weir.ban.ThrottleTally;
import dev.weir.limit.Level;
import dev.weir.policy.Route;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the gate has decided since the start, and tells the history of what it throttled or would have. Safe for use by
 * many threads.
 */
public final class Decisions {

    /** The level of callers that have not proven who they are. */
    static final String UNPROVEN = "unproven";

    /** The level of calls for which too many others are in flight. */
    static final String CONCURRENCY = "concurrency";

    /** The name under which tiers are counted that come after the first {@link #MAX_TIERS}. */
    public static final String OTHER_TIERS = "other";

    /** The most tiers that are counted by name, because each is a time series to whoever collects the numbers. */
    static final int MAX_TIERS = 100;

    /**
     * How often something was decided of calls of one tool.
     *
     * @param route    the prefix of the route
     * @param tool     the tool; empty for all that the policy does not name
     * @param decision the word of the {@linkplain Verdict#decision decision}; {@code forbid} for batches that were too large, too
     */
    public record OfTool(String route, String tool, String decision, long calls) {}

    private final ToolCalls toolCalls;
    private final ThrottleTally tally;
    private final LongAdder admitted = new LongAdder();
    private final LongAdder shut = new LongAdder();
    private final LongAdder forbidden = new LongAdder();

    /** Null while nobody watches. */
    private volatile @Nullable Crowd crowd;

    /** By every level that can refuse; no key comes or goes. */
    private final Map<String, LongAdder> throttled = new HashMap<>();

    private final ConcurrentMap<String, LongAdder> wouldThrottle = new ConcurrentHashMap<>();

    /** One that keeps no names of tools that the policy does not name. */
    public Decisions(ThrottleTally tally) {
        this(tally, null);
    }

    /** @param strays keeps the names of tools that the policy does not name; null for nobody */
    public Decisions(ThrottleTally tally, @Nullable Strays strays) {
        this.tally = tally;
        this.toolCalls = new ToolCalls(strays);
        Stream.concat(Arrays.stream(Level.values()).map(Level::word), Stream.of(CONCURRENCY, UNPROVEN))
                .forEach(level -> throttled.put(level, new LongAdder()));
    }

    /** The calls on routes that were let on; not those of callers that have yet to prove who they are. */
    public long admitted() {
        return admitted.sum();
    }

    /** The calls that were refused because of a ban. */
    public long shut() {
        return shut.sum();
    }

    /** The calls of tools that may not be called, and batches that could never be admitted. */
    public long forbidden() {
        return forbidden.sum();
    }

    /** The calls that were throttled, whatever the level. */
    public long allThrottled() {
        long sum = 0;
        for (LongAdder level : throttled.values()) {
            sum += level.sum();
        }
        return sum;
    }

    /** From now on, counts in a crowd as well; in none if it is null. */
    public void watch(@Nullable Crowd next) {
        crowd = next;
    }

    /** The calls that were throttled, by the level that refused: every level that there is, so that zero is told too. */
    public Map<String, Long> throttled() {
        return sums(throttled);
    }

    /** The calls that a tier in shadow mode would have refused, by its name. */
    public Map<String, Long> wouldThrottle() {
        return sums(wouldThrottle);
    }

    /** The calls of tools by route, tool and decision, as far as there were any. */
    public List<OfTool> toolCalls() {
        return toolCalls.all();
    }

    /** Forgets the calls of tools that the policy names no more. To be told the routes of the policy now and then. */
    public void retain(Collection<Route> routes) {
        toolCalls.retain(routes);
    }

    /** One of these numbers; zero if there is none. */
    public long toolCalls(String route, String tool, String decision) {
        return toolCalls.count(route, tool, decision);
    }

    /**
     * Counts a verdict about a principal on a route, and answers it. Tools that the policy does not know are taken down
     * without their names: a caller could make up another one each time.
     */
    Verdict count(Principal principal, Route route, Call call, Verdict verdict) {
        toolCalls.count(route, call, verdict);
        Crowd watched = crowd;
        if (watched != null) {
            watched.count(principal, route, call, verdict);
        }
        if (verdict instanceof Verdict.Admit admit) {
            admit(principal, route, call, admit);
        } else if (verdict instanceof Verdict.Throttle throttle) {
            throttle(principal, route.prefix(), known(route, throttle.tool()), throttle.level());
        } else if (verdict instanceof Verdict.Shut) {
            shut.increment();
        } else {
            forbidden.increment();
        }
        return verdict;
    }

    /**
     * Counts a verdict about somebody unproven, and answers it. What such a caller says of a tool is not taken down: it could
     * say something else each time.
     *
     * @param route the prefix of the route; null if the path belongs to none
     */
    Verdict countUnproven(Principal address, @Nullable String route, Verdict verdict) {
        if (verdict instanceof Verdict.Throttle) {
            throttle(address, route == null ? "" : route, null, UNPROVEN);
        }
        Crowd watched = crowd;
        if (watched != null) {
            watched.countUnproven(address, verdict);
        }
        return verdict;
    }

    private void admit(Principal principal, Route route, Call call, Verdict.Admit admit) {
        admitted.increment();
        String tier = admit.wouldThrottle();
        if (tier != null) {
            boolean room = wouldThrottle.containsKey(tier) || wouldThrottle.size() < MAX_TIERS;
            wouldThrottle
                    .computeIfAbsent(room ? tier : OTHER_TIERS, name -> new LongAdder())
                    .increment();
            tally.count(wouldThrottle(principal, route, call));
        }
    }

    /** Only tools and methods have tiers, and so can be in shadow mode. */
    private static ThrottleEvent.Kind wouldThrottle(Principal principal, Route route, Call call) {
        String tool = call.tool();
        String method = call.message() == null ? null : call.message().method();
        String level = tool != null ? "tool" : "method";
        return kind(
                principal,
                route.prefix(),
                known(route, tool != null ? tool : method),
                level,
                ThrottleEvent.Decision.WOULD_THROTTLE);
    }

    private static @Nullable String known(Route route, @Nullable String name) {
        boolean known = name != null
                && (route.tools().containsKey(name) || route.methods().containsKey(name));
        return known ? name : null;
    }

    private void throttle(Principal principal, String route, @Nullable String tool, String level) {
        Objects.requireNonNull(throttled.get(level)).increment();
        tally.count(kind(principal, route, tool, level, ThrottleEvent.Decision.THROTTLED));
    }

    private static ThrottleEvent.Kind kind(
            Principal principal, String route, @Nullable String tool, String level, ThrottleEvent.Decision decision) {
        return new ThrottleEvent.Kind(principal.key(), route, tool == null ? "" : tool, level, decision);
    }

    private static Map<String, Long> sums(Map<String, LongAdder> counts) {
        Map<String, Long> sums = new TreeMap<>();
        counts.forEach((name, count) -> sums.put(name, count.sum()));
        return sums;
    }
}
