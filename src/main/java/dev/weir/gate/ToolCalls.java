package dev.weir.gate;

import dev.weir.mcp.McpMessage;
import dev.weir.policy.Route;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts what was decided of calls of tools, by route and tool. Only tools that the policy names are counted by name, because a caller
 * could make up another name each time; and of those the first {@link #MAX_TOOLS} only, because each is some time series to whoever
 * collects the numbers. Makes nothing where it only counts on. Safe for use by many threads.
 */
final class ToolCalls {

    static final int MAX_TOOLS = 200;

    /** The name under which tools are counted that come after the first. */
    static final String OTHER = "other";

    /** The name under which tools are counted that the policy does not name. */
    static final String UNREGISTERED = "";

    private static final class Counts {
        private final LongAdder admitted = new LongAdder();
        private final LongAdder throttled = new LongAdder();
        private final LongAdder shut = new LongAdder();
        private final LongAdder forbidden = new LongAdder();

        private LongAdder of(Verdict verdict) {
            if (verdict instanceof Verdict.Admit) {
                return admitted;
            }
            if (verdict instanceof Verdict.Throttle) {
                return throttled;
            }
            return verdict instanceof Verdict.Shut ? shut : forbidden;
        }
    }

    private final Map<String, Map<String, Counts>> routes = new ConcurrentHashMap<>();
    private final AtomicInteger tools = new AtomicInteger();
    private final @Nullable Strays strays;

    /** @param strays is told of the tools that the policy does not name; null for nobody */
    ToolCalls(@Nullable Strays strays) {
        this.strays = strays;
    }

    /** Counts each call of a tool in a request. */
    void count(Route route, Call call, Verdict verdict) {
        if (call.batch() == null) {
            count(route, call.message(), verdict);
        } else {
            call.batch().messages().forEach(message -> count(route, message, verdict));
        }
    }

    private void count(Route route, @Nullable McpMessage message, Verdict verdict) {
        String tool = message == null ? null : message.tool();
        if (tool != null) {
            boolean known = route.tools().containsKey(tool);
            counts(route.prefix(), known ? tool : UNREGISTERED).of(verdict).increment();
            if (!known && strays != null) {
                strays.count(route.prefix(), tool);
            }
        }
    }

    private Counts counts(String route, String tool) {
        Map<String, Counts> ofRoute = routes.get(route);
        Counts counts = ofRoute == null ? null : ofRoute.get(tool);
        if (counts != null) {
            return counts;
        }
        boolean room = isShared(tool) || tools.get() < MAX_TOOLS;
        return routes.computeIfAbsent(route, first -> new ConcurrentHashMap<>())
                .computeIfAbsent(room ? tool : OTHER, first -> {
                    if (!isShared(first)) {
                        tools.incrementAndGet();
                    }
                    return new Counts();
                });
    }

    /** Forgets routes and tools that the policy names no more. */
    void retain(Collection<Route> now) {
        Map<String, Route> kept = new HashMap<>();
        now.forEach(route -> kept.put(route.prefix(), route));
        routes.entrySet().removeIf(each -> {
            Route route = kept.get(each.getKey());
            each.getValue().keySet().removeIf(tool -> {
                boolean gone =
                        route == null || !(isShared(tool) || route.tools().containsKey(tool));
                if (gone && !isShared(tool)) {
                    tools.decrementAndGet();
                }
                return gone;
            });
            return route == null;
        });
    }

    private static boolean isShared(String tool) {
        return tool.equals(UNREGISTERED) || tool.equals(OTHER);
    }

    /** All counts that there are, and no others. */
    List<Decisions.OfTool> all() {
        List<Decisions.OfTool> all = new ArrayList<>();
        routes.forEach((route, ofRoute) -> ofRoute.forEach((tool, counts) -> {
            all.add(new Decisions.OfTool(route, tool, "admit", counts.admitted.sum()));
            all.add(new Decisions.OfTool(route, tool, "throttle", counts.throttled.sum()));
            all.add(new Decisions.OfTool(route, tool, "shut", counts.shut.sum()));
            all.add(new Decisions.OfTool(route, tool, "forbid", counts.forbidden.sum()));
        }));
        return all;
    }

    /** One of them; zero if there is none. */
    long count(String route, String tool, String decision) {
        Counts counts = routes.getOrDefault(route, Map.of()).get(tool);
        if (counts == null) {
            return 0;
        }
        return switch (decision) {
            case "admit" -> counts.admitted.sum();
            case "throttle" -> counts.throttled.sum();
            case "shut" -> counts.shut.sum();
            case "forbid" -> counts.forbidden.sum();
            default -> 0;
        };
    }
}
