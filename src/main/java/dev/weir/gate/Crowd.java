package dev.weir.gate;

import dev.weir.auth.Principal;
import dev.weir.mcp.McpMessage;
import dev.weir.policy.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Who calls what, and what becomes of it, counted for as long as somebody watches: see {@link Decisions#watch}. Bounded, because
 * callers may be many, and make names of tools up. Safe for use by many threads.
 */
public final class Crowd {

    /** The most principals, and the most tools, that are counted; a few more may slip in together. */
    static final int MOST = 2_000;

    /** The most characters of a tool's name. */
    static final int LONGEST_NAME = 128;

    /** The calls of one principal. */
    public record OfPrincipal(String principal, long calls, long throttled) {}

    /** The calls of one tool, registered or not. */
    public record OfTool(String route, String tool, long calls, long throttled, long banned) {}

    private record Tool(String route, String name) {}

    private static final class Counts {
        private final LongAdder calls = new LongAdder();
        private final LongAdder throttled = new LongAdder();
        private final LongAdder banned = new LongAdder();

        void add(Verdict verdict) {
            calls.increment();
            if (verdict instanceof Verdict.Throttle) {
                throttled.increment();
            } else if (verdict instanceof Verdict.Shut) {
                banned.increment();
            }
        }
    }

    private final Map<String, Counts> principals = new ConcurrentHashMap<>();
    private final Map<Tool, Counts> tools = new ConcurrentHashMap<>();

    void count(Principal principal, Route route, Call call, Verdict verdict) {
        add(principals, principal.key(), verdict);
        if (call.batch() == null) {
            count(route, call.message(), verdict);
        } else {
            call.batch().messages().forEach(message -> count(route, message, verdict));
        }
    }

    /** Counts a call of somebody who has not proven who it is, of which nothing is believed. */
    void countUnproven(Principal address, Verdict verdict) {
        add(principals, address.key(), verdict);
    }

    private void count(Route route, @Nullable McpMessage message, Verdict verdict) {
        String tool = message == null ? null : message.tool();
        if (tool != null) {
            String name = tool.length() <= LONGEST_NAME ? tool : tool.substring(0, LONGEST_NAME - 1) + "…";
            add(tools, new Tool(route.prefix(), name), verdict);
        }
    }

    private static <K> void add(Map<K, Counts> all, K key, Verdict verdict) {
        Counts counts = all.get(key);
        if (counts == null && all.size() < MOST) {
            counts = all.computeIfAbsent(key, first -> new Counts());
        }
        if (counts != null) {
            counts.add(verdict);
        }
    }

    /** The principals that were counted, in no order. */
    public List<OfPrincipal> principals() {
        List<OfPrincipal> all = new ArrayList<>();
        principals.forEach((principal, counts) ->
                all.add(new OfPrincipal(principal, counts.calls.sum(), counts.throttled.sum() + counts.banned.sum())));
        return all;
    }

    /** The tools that were counted, in no order. */
    public List<OfTool> tools() {
        List<OfTool> all = new ArrayList<>();
        tools.forEach((tool, counts) -> all.add(new OfTool(
                tool.route(), tool.name(), counts.calls.sum(), counts.throttled.sum(), counts.banned.sum())));
        return all;
    }
}
