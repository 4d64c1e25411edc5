package dev.weir.policy;

import dev.weir.limit.Charge;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A public prefix, the upstream behind it and what calls on it are charged. Immutable.
 *
 * @param prefix       the public path prefix, whole segments
 * @param kind         what stands behind it
 * @param upstream     where the route goes
 * @param others       where it goes as well; empty as a rule
 * @param transit      how its requests get there
 * @param headers      what is put on each of them
 * @param check        how its targets are asked whether they are well; null if nobody asks
 * @param breaker      when its circuit opens; null for never
 * @param guard        who may call
 * @param introduction whether the upstream is told who calls
 * @param refusalForm  how refusals are told
 * @param takesBatches whether arrays of messages are judged, and not refused
 * @param tools        the registered tools by their exact names
 * @param unregistered what calls of all other tools get
 * @param methods      the other methods that were given a tier, by their exact names
 * @param other        what everything else is charged
 */
public record Route(
        String prefix,
        RouteKind kind,
        URI upstream,
        List<URI> others,
        Transit transit,
        List<RouteHeader> headers,
        @Nullable HealthCheck check,
        @Nullable BreakerRule breaker,
        Guard guard,
        Introduction introduction,
        RefusalForm refusalForm,
        boolean takesBatches,
        Map<String, ToolRule> tools,
        ToolRule unregistered,
        Map<String, ToolRule> methods,
        Charge other) {

    /** What calls of a tool of this name get. */
    public ToolRule tool(String name) {
        return tools.getOrDefault(name, unregistered);
    }

    /** What calls of a method get, other than {@code tools/call}; null if they get what everything else gets. */
    public @Nullable ToolRule method(String name) {
        return methods.get(name);
    }
}
