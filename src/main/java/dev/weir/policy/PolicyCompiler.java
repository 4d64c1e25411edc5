package dev.weir.policy;

import dev.weir.auth.ClientKey;
import dev.weir.limit.BucketName;
import dev.weir.limit.Charge;
import dev.weir.limit.Level;
import dev.weir.limit.Limit;
import dev.weir.limit.Take;
import dev.weir.limit.Tier;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Turns rows into a policy, row by row, and collects what is wrong with them. For one compilation by one thread. */
final class PolicyCompiler {

    private static final Limit UNPROVEN = Limit.of(10, 20);
    private static final String REFUSE = "refuse";
    private static final String JUDGE = "judge";

    private final PolicyRows rows;
    private final PolicyBase base;
    private final Problems problems = new Problems();

    PolicyCompiler(PolicyRows rows, PolicyBase base) {
        this.rows = rows;
        this.base = base;
    }

    Policy compile() throws PolicyRejectedException {
        PolicySettings settings = new PolicySettings(rows.settings(), base, problems);
        ToolCompiler tools = new ToolCompiler(rows, base.limitsEnabled(), problems);
        WayCompiler ways = new WayCompiler(rows, base.named(), problems);
        Map<String, Route> routes = new HashMap<>();
        for (PolicyRows.Route row : routeRows()) {
            if (row.enabled()) {
                Route route = problems.check("route", row.prefix(), () -> route(row, settings, tools, ways));
                if (route != null) {
                    routes.put(route.prefix(), route);
                }
            }
        }
        rows.tools().forEach(this::knownRoute);
        rows.clientTools().forEach(this::knownTool);
        Map<String, Policy.Key> keys = new HashMap<>();
        clients(keys);
        if (!problems.all().isEmpty()) {
            throw new PolicyRejectedException(problems.all());
        }
        Charge unproven =
                new Charge(List.of(new Take(new BucketName(Level.CHANNEL, "", ""), Tier.of("unproven", UNPROVEN), 1)));
        return new Policy(rows, routes, keys, settings.banRule(), settings.retention(), unproven);
    }

    private List<PolicyRows.Route> routeRows() {
        if (!rows.routes().isEmpty() || base.upstream() == null) {
            return rows.routes();
        }
        return List.of(new PolicyRows.Route("/mcp", base.upstream().toString()));
    }

    private Route route(PolicyRows.Route row, PolicySettings settings, ToolCompiler tools, WayCompiler ways) {
        String prefix = RoutePrefix.check(row.prefix());
        URI upstream = WayCompiler.upstream("upstream_url", row.upstreamUrl());
        RefusalForm form = row.refusalForm() == null ? settings.refusalForm() : RefusalForm.of(row.refusalForm());
        List<Take> wide = base.limitsEnabled() ? wide(row, settings) : List.of();
        return new Route(
                prefix,
                RouteKind.of(row.kind()),
                upstream,
                ways.others(prefix, upstream),
                ways.transit(row.transit()),
                ways.headers(prefix),
                HealthCheck.of(row.check()),
                BreakerRule.of(row.breaker()),
                form,
                takesBatches(row.batch()),
                tools.tools(prefix, wide),
                tools.unregistered(prefix, wide, settings.refuseUnregistered()),
                tools.methods(prefix, wide),
                new Charge(wide));
    }

    private static boolean takesBatches(String batch) {
        if (!batch.equals(REFUSE) && !batch.equals(JUDGE)) {
            throw new IllegalArgumentException("batch must be " + REFUSE + " or " + JUDGE + ", not [" + batch + "]");
        }
        return batch.equals(JUDGE);
    }

    /** What every call on a route takes beside its own tool's bucket. */
    private static List<Take> wide(PolicyRows.Route row, PolicySettings settings) {
        List<Take> takes = new ArrayList<>();
        takes.add(wide(Level.CHANNEL, row.prefix(), settings.channel()));
        if (row.ratePerSecond() != null && row.burst() != null) {
            takes.add(wide(Level.ROUTE, row.prefix(), Limit.of(row.ratePerSecond(), row.burst())));
        } else if (row.ratePerSecond() != null || row.burst() != null) {
            throw new IllegalArgumentException("rate_per_second and burst must both be set, or neither");
        }
        takes.add(wide(Level.GLOBAL, "", settings.global()));
        return takes;
    }

    private static Take wide(Level level, String route, Limit limit) {
        return new Take(new BucketName(level, route, ""), Tier.of(level.word(), limit), 1);
    }

    private void knownRoute(PolicyRows.Tool tool) {
        if (routeRows().stream().noneMatch(route -> route.prefix().equals(tool.route()))) {
            problems.add("tool", tool.route() + " " + tool.name(), "there is no route [" + tool.route() + "]");
        }
    }

    private void knownTool(PolicyRows.ClientTool row) {
        boolean known = rows.tools().stream()
                .anyMatch(tool -> tool.route().equals(row.route())
                        && tool.kind().equals(row.kind())
                        && tool.name().equals(row.tool()));
        if (!known) {
            String name = row.client() + " " + row.route() + " " + row.tool();
            problems.add("client_tool", name, "there is no " + row.kind() + " [" + row.tool() + "]");
        }
    }

    private void clients(Map<String, Policy.Key> keys) {
        Map<String, PolicyRows.Client> enabled = new HashMap<>();
        for (PolicyRows.Client client : rows.clients()) {
            if (client.enabled()) {
                enabled.put(client.id(), client);
            }
        }
        for (PolicyRows.ClientKey row : rows.clientKeys()) {
            PolicyRows.Client client = enabled.get(row.client());
            if (client != null && row.revokedAt() == null) {
                ClientKey key = ClientKey.of(client.id(), row.sha256(), client.exempt());
                keys.put(row.sha256(), new Policy.Key(key, row.expiresAt()));
            }
        }
    }
}
