package dev.weir.policy;

import dev.weir.limit.BucketName;
import dev.weir.limit.Charge;
import dev.weir.limit.Level;
import dev.weir.limit.Limit;
import dev.weir.limit.Take;
import dev.weir.limit.Tier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Turns the rows of tiers, tools and overrides into rules, and collects what is wrong with them. For one thread. */
final class ToolCompiler {

    private static final String STANDARD = "standard";
    private static final String TOOL = "tool";
    private static final String METHOD = "method";
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final PolicyRows rows;
    private final boolean limitsEnabled;
    private final Problems problems;
    private final Map<String, Tier> tiers = new HashMap<>();

    /** @param problems where what is wrong is added to */
    ToolCompiler(PolicyRows rows, boolean limitsEnabled, Problems problems) {
        this.rows = rows;
        this.limitsEnabled = limitsEnabled;
        this.problems = problems;
        for (PolicyRows.Tier row : rows.tiers()) {
            Tier tier = problems.check("tool_tier", row.name(), () -> tier(row));
            if (tier != null) {
                tiers.put(tier.name(), tier);
            }
        }
        for (PolicyRows.Tool row : rows.tools()) {
            if (!row.kind().equals(TOOL) && !row.kind().equals(METHOD)) {
                problems.add(
                        "tool", label(row), "kind must be " + TOOL + " or " + METHOD + ", not [" + row.kind() + "]");
            }
        }
    }

    /**
     * The rules of a route's registered tools, by their names.
     *
     * @param wide what every call on the route takes beside
     */
    Map<String, ToolRule> tools(String route, List<Take> wide) {
        return rules(route, TOOL, Level.TOOL, wide);
    }

    /** The rules of other methods that were given a tier, by their names. */
    Map<String, ToolRule> methods(String route, List<Take> wide) {
        return rules(route, METHOD, Level.METHOD, wide);
    }

    /** The rule of all tools that are not registered. */
    ToolRule unregistered(String route, List<Take> wide, boolean refuse) {
        BucketName bucket = new BucketName(Level.TOOL, route, BucketName.UNREGISTERED);
        return refuse
                ? new ToolRule("", ToolRule.Access.UNREGISTERED, Charge.NOTHING, Map.of())
                : new ToolRule("", ToolRule.Access.OPEN, charge(STANDARD, bucket, 1, wide), Map.of());
    }

    private static Tier tier(PolicyRows.Tier row) {
        Tier.Mode mode = switch (row.mode()) {
            case "enforce" -> Tier.Mode.ENFORCE;
            case "shadow" -> Tier.Mode.SHADOW;
            case "off" -> Tier.Mode.OFF;
            default ->
                throw new IllegalArgumentException("mode must be enforce, shadow or off, not [" + row.mode() + "]");
        };
        if (row.cooldownSeconds() < 0) {
            throw new IllegalArgumentException(
                    "cooldown_seconds must not be negative, but is " + row.cooldownSeconds());
        }
        if (row.maxWaitMs() < 0 || row.maxWaitMs() > Tier.LONGEST_WAIT_NANOS / NANOS_PER_MILLI) {
            throw new IllegalArgumentException("max_wait_ms must be from 0 to "
                    + Tier.LONGEST_WAIT_NANOS / NANOS_PER_MILLI + ", not " + row.maxWaitMs());
        }
        return new Tier(
                row.name(),
                Limit.of(row.ratePerSecond(), row.burst()),
                row.cooldownSeconds() * NANOS_PER_SECOND,
                row.maxConcurrent(),
                row.maxWaitMs() * NANOS_PER_MILLI,
                mode);
    }

    private Map<String, ToolRule> rules(String route, String kind, Level level, List<Take> wide) {
        Map<String, ToolRule> rules = new HashMap<>();
        for (PolicyRows.Tool row : rows.tools()) {
            if (row.route().equals(route) && row.kind().equals(kind)) {
                ToolRule rule = problems.check("tool", label(row), () -> rule(row, level, wide));
                if (rule != null) {
                    rules.put(row.name(), rule);
                }
            }
        }
        return Map.copyOf(rules);
    }

    private ToolRule rule(PolicyRows.Tool row, Level level, List<Take> wide) {
        if (row.name().isEmpty()) {
            throw new IllegalArgumentException("name must not be empty");
        }
        if (level == Level.METHOD && (row.name().equals("tools/call") || UnratedMethods.contains(row.name()))) {
            throw new IllegalArgumentException("method [" + row.name() + "] can be given no tier");
        }
        if (!row.enabled()) {
            return new ToolRule(row.name(), ToolRule.Access.DISABLED, Charge.NOTHING, Map.of());
        }
        BucketName bucket = new BucketName(level, row.route(), row.name());
        Charge charge = charge(row.tier(), bucket, row.cost(), wide);
        ToolRule.Access access =
                GuardCompiler.listed("access", row.access()) ? ToolRule.Access.DENIED : ToolRule.Access.OPEN;
        return new ToolRule(row.name(), access, Scopes.of(row.scopes()), charge, overrides(row, bucket, wide));
    }

    private Map<String, ToolRule> overrides(PolicyRows.Tool tool, BucketName bucket, List<Take> wide) {
        Map<String, ToolRule> overrides = new HashMap<>();
        for (PolicyRows.ClientTool row : rows.clientTools()) {
            if (row.route().equals(tool.route())
                    && row.kind().equals(tool.kind())
                    && row.tool().equals(tool.name())) {
                String tier = row.tier() == null ? tool.tier() : row.tier();
                ToolRule rule = problems.check(
                        "client_tool",
                        row.client() + " " + label(tool),
                        () -> new ToolRule(
                                tool.name(),
                                row.allowed() ? ToolRule.Access.OPEN : ToolRule.Access.DENIED,
                                Scopes.of(tool.scopes()),
                                charge(tier, bucket, tool.cost(), wide),
                                Map.of()));
                if (rule != null) {
                    overrides.put(row.client(), rule);
                }
            }
        }
        return overrides;
    }

    private Charge charge(String tierName, BucketName bucket, int cost, List<Take> wide) {
        Tier tier = tiers.get(tierName);
        if (tier == null) {
            throw new IllegalArgumentException("there is no tier [" + tierName + "]");
        }
        if (!limitsEnabled) {
            return new Charge(wide);
        }
        List<Take> takes = new ArrayList<>(wide);
        takes.add(new Take(bucket, tier, cost));
        return new Charge(takes);
    }

    private static String label(PolicyRows.Tool row) {
        return row.route() + " " + row.name();
    }
}
