package dev.weir.policy;

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

    /** The most tokens of callers at one address that wait for a key at the same time, unless a larger burst is let in. */
    private static final int MAX_CHECKS = 100;

    private static final String REFUSE = "refuse";
    private static final String JUDGE = "judge";

    private final PolicyRows rows;
    private final PolicyBase base;
    private final Problems problems = new Problems();
    private final GuardCompiler guards;

    PolicyCompiler(PolicyRows rows, PolicyBase base) {
        this.rows = rows;
        this.base = base;
        this.guards = new GuardCompiler(rows.clientRoutes(), problems);
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
        rows.tools().forEach(row -> knownRoute("tool", row.route() + " " + row.name(), row.route()));
        rows.clientTools().forEach(this::knownTool);
        rows.clientRoutes().forEach(row -> knownRoute("client_route", row.client() + " " + row.route(), row.route()));
        Credentials credentials = new ClientCompiler(rows, problems).compile(settings.refuseUnlistedTokens());
        if (!problems.all().isEmpty()) {
            throw new PolicyRejectedException(problems.all());
        }
        Charge unproven = new Charge(
                List.of(new Take(new BucketName(Level.CHANNEL, "", ""), Tier.of("unproven", settings.unproven()), 1)));
        return new Policy(rows, routes, credentials, settings, unproven, unchecked(settings.unproven(), unproven));
    }

    /** The same, and a place among the tokens of one address that are being checked, or wait for a key. */
    private static Charge unchecked(Limit limit, Charge unproven) {
        int places = (int) Math.max(MAX_CHECKS, Math.min(limit.capacity(), Integer.MAX_VALUE));
        Tier tier =
                new Tier("unproven", Limit.of(Limit.MAX_RATE, (long) Limit.MAX_RATE), 0, places, 0, Tier.Mode.ENFORCE);
        List<Take> takes = new ArrayList<>();
        takes.add(new Take(new BucketName(Level.METHOD, "", BucketName.UNREGISTERED), tier, 1));
        takes.addAll(unproven.takes());
        return new Charge(takes);
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
                guards.of(row),
                Introduction.of(row.guard(), base.named()),
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

    private void knownRoute(String table, String row, String prefix) {
        if (routeRows().stream().noneMatch(route -> route.prefix().equals(prefix))) {
            problems.add(table, row, "there is no route [" + prefix + "]");
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
}
