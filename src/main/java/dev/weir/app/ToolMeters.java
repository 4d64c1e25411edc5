package dev.weir.app;

import dev.weir.gate.Decisions;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The calls of tools, which come and go with the tools of the policy. Safe for use by many threads. */
final class ToolMeters {

    private final Decisions decisions;
    private final MeterRegistry registry;
    private final Map<List<String>, Meter> meters = new HashMap<>();

    ToolMeters(Decisions decisions, MeterRegistry registry) {
        this.decisions = decisions;
        this.registry = registry;
    }

    /** Adds the numbers that are new and takes away those that are no more. */
    synchronized void refresh() {
        Set<List<String>> now = new HashSet<>();
        for (Decisions.OfTool one : decisions.toolCalls()) {
            now.add(List.of(one.route(), one.tool(), one.decision()));
        }
        meters.entrySet().removeIf(known -> {
            boolean gone = !now.contains(known.getKey());
            if (gone) {
                registry.remove(known.getValue());
            }
            return gone;
        });
        now.forEach(key -> meters.computeIfAbsent(key, this::register));
    }

    private Meter register(List<String> key) {
        return FunctionCounter.builder(
                        "weir.tool.calls", decisions, all -> all.toolCalls(key.get(0), key.get(1), key.get(2)))
                .tags("route", key.get(0), "tool", key.get(1), "decision", key.get(2))
                .description(
                        "Calls of tools by what the gate has decided; without a name those of tools that the policy does not name.")
                .register(registry);
    }
}
