package dev.weir.policy;

import dev.weir.auth.ClientKey;
import dev.weir.limit.BucketName;
import dev.weir.limit.Charge;
import dev.weir.limit.Level;
import dev.weir.limit.Limit;
import dev.weir.limit.Take;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns rows into a policy, row by row, and collects what is wrong with them. For one compilation by one thread. */
final class PolicyCompiler {

    private static final String STANDARD = "standard";
    private static final Limit UNPROVEN = Limit.of(10, 20);
    private static final URI NOWHERE = URI.create("http://invalid/");

    private final PolicyRows rows;
    private final PolicyBase base;
    private final List<PolicyProblem> problems = new ArrayList<>();
    private final Map<String, Tier> tiers = new HashMap<>();

    /** A tier that is checked; without a limit if it limits nothing. */
    private record Tier(String name, @Nullable Limit limit, long cooldownNanos, Take.Mode mode) {}

    PolicyCompiler(PolicyRows rows, PolicyBase base) {
        this.rows = rows;
        this.base = base;
    }

    Policy compile() throws PolicyRejectedException {
        PolicySettings settings = new PolicySettings(rows.settings(), base, problems);
        rows.tiers().forEach(this::tier);
        Map<String, Route> routes = new HashMap<>();
        for (PolicyRows.Route row : routeRows()) {
            if (row.enabled()) {
                Route route = checked("route", row.prefix(), () -> route(row, settings));
                if (route != null) {
                    routes.put(route.prefix(), route);
                }
            }
        }
        rows.tools().forEach(this::knownRoute);
        Map<String, Policy.Key> keys = new HashMap<>();
        Set<String> exempt = new HashSet<>();
        clients(keys, exempt);
        if (!problems.isEmpty()) {
            throw new PolicyRejectedException(problems);
        }
        Charge unproven = new Charge(List.of(
                new Take(new BucketName(Level.CHANNEL, "", ""), UNPROVEN, 1, 0, Take.Mode.ENFORCE, "unproven")));
        return new Policy(rows, routes, keys, exempt, settings.banRule(), unproven);
    }

    private List<PolicyRows.Route> routeRows() {
        if (!rows.routes().isEmpty() || base.upstream() == null) {
            return rows.routes();
        }
        return List.of(new PolicyRows.Route("/mcp", base.upstream().toString(), null, null, null, true));
    }

    private void tier(PolicyRows.Tier row) {
        Tier tier = checked("tool_tier", row.name(), () -> {
            Limit limit = Limit.of(row.ratePerSecond(), row.burst());
            if (row.cooldownSeconds() < 0) {
                throw new IllegalArgumentException(
                        "cooldown_seconds must not be negative, but is " + row.cooldownSeconds());
            }
            long cooldown = row.cooldownSeconds() * 1_000_000_000L;
            return switch (row.mode()) {
                case "enforce" -> new Tier(row.name(), limit, cooldown, Take.Mode.ENFORCE);
                case "shadow" -> new Tier(row.name(), limit, cooldown, Take.Mode.SHADOW);
                case "off" -> new Tier(row.name(), null, 0, Take.Mode.ENFORCE);
                default ->
                    throw new IllegalArgumentException("mode must be enforce, shadow or off, not [" + row.mode() + "]");
            };
        });
        if (tier != null) {
            tiers.put(tier.name(), tier);
        }
    }

    private Route route(PolicyRows.Route row, PolicySettings settings) {
        String prefix = RoutePrefix.check(row.prefix());
        URI upstream = upstream(row.upstreamUrl());
        RefusalForm form = row.refusalForm() == null ? settings.refusalForm() : RefusalForm.of(row.refusalForm());
        List<Take> wide = base.limitsEnabled() ? wide(row, settings) : List.of();
        Map<String, ToolRule> tools = new HashMap<>();
        for (PolicyRows.Tool tool : rows.tools()) {
            if (tool.route().equals(row.prefix())) {
                ToolRule rule = checked("tool", tool.route() + " " + tool.name(), () -> tool(tool, wide));
                if (rule != null) {
                    tools.put(tool.name(), rule);
                }
            }
        }
        ToolRule unregistered = settings.refuseUnregistered()
                ? new ToolRule(ToolRule.Access.UNREGISTERED, Charge.NOTHING)
                : new ToolRule(ToolRule.Access.OPEN, charge(STANDARD, prefix, BucketName.UNREGISTERED, 1, wide));
        return new Route(prefix, upstream, form, Map.copyOf(tools), unregistered, new Charge(wide));
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
        return new Take(new BucketName(level, route, ""), limit, 1, 0, Take.Mode.ENFORCE, level.word());
    }

    private ToolRule tool(PolicyRows.Tool row, List<Take> wide) {
        if (row.name().isEmpty()) {
            throw new IllegalArgumentException("name must not be empty");
        }
        return row.enabled()
                ? new ToolRule(ToolRule.Access.OPEN, charge(row.tier(), row.route(), row.name(), row.cost(), wide))
                : new ToolRule(ToolRule.Access.DISABLED, Charge.NOTHING);
    }

    private Charge charge(String tierName, String route, String tool, int cost, List<Take> wide) {
        Tier tier = tiers.get(tierName);
        if (tier == null) {
            throw new IllegalArgumentException("there is no tier [" + tierName + "]");
        }
        if (tier.limit() == null || !base.limitsEnabled()) {
            return new Charge(wide);
        }
        List<Take> takes = new ArrayList<>(wide);
        BucketName bucket = new BucketName(Level.TOOL, route, tool);
        takes.add(new Take(bucket, tier.limit(), cost, tier.cooldownNanos(), tier.mode(), tier.name()));
        return new Charge(takes);
    }

    private void knownRoute(PolicyRows.Tool tool) {
        if (routeRows().stream().noneMatch(route -> route.prefix().equals(tool.route()))) {
            problems.add(new PolicyProblem(
                    "tool", tool.route() + " " + tool.name(), "there is no route [" + tool.route() + "]"));
        }
    }

    private void clients(Map<String, Policy.Key> keys, Set<String> exempt) {
        Set<String> enabled = new HashSet<>();
        for (PolicyRows.Client client : rows.clients()) {
            if (client.enabled()) {
                enabled.add(client.id());
            }
            if (client.exempt()) {
                exempt.add(client.id());
            }
        }
        for (PolicyRows.ClientKey row : rows.clientKeys()) {
            if (enabled.contains(row.client()) && row.revokedAt() == null) {
                keys.put(row.sha256(), new Policy.Key(ClientKey.of(row.client(), row.sha256()), row.expiresAt()));
            }
        }
    }

    private static URI upstream(String url) {
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            uri = NOWHERE;
        }
        boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
        boolean bare = uri.getRawUserInfo() == null && uri.getRawQuery() == null && uri.getRawFragment() == null;
        if (uri.equals(NOWHERE) || !http || uri.getHost() == null || !bare) {
            throw new IllegalArgumentException(
                    "upstream_url must be http(s)://host[:port][/path] and no more, which [" + url + "] is not");
        }
        return uri;
    }

    private <T> @Nullable T checked(String table, String row, Supplier<T> step) {
        try {
            return step.get();
        } catch (IllegalArgumentException e) {
            problems.add(new PolicyProblem(table, row, String.valueOf(e.getMessage())));
            return null;
        }
    }
}
