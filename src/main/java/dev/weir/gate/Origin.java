package dev.weir.gate;

import dev.weir.limit.BucketName;
import dev.weir.limit.Level;
import dev.weir.policy.PolicyRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a number comes from: a row, or what stands where there is no row.
 *
 * @param table the table; {@code setting} also for a setting without a row
 * @param key   the values of its key columns, by their names
 * @param gives what comes from there: columns of the row, or what the setting is about
 * @param row   whether there is such a row; if not, the static setting or the default of the same meaning holds
 */
public record Origin(String table, Map<String, String> key, List<String> gives, boolean row) {

    private static final String NAME = "name";
    private static final String TIER = "tier";
    private static final String COST = "cost";
    private static final String RATE = "rate_per_second";
    private static final String BURST = "burst";

    /** Keeps the order of the key's columns. */
    public Origin {
        key = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(key));
        gives = List.copyOf(gives);
    }

    /**
     * Where the numbers of a bucket come from.
     *
     * @param tier   the name of its tier
     * @param client the client that calls; null for nobody who is one
     */
    static List<Origin> of(PolicyRows rows, BucketName bucket, String tier, @Nullable String client) {
        Level level = bucket.level();
        if (level.ofOneTool()) {
            return ofTool(rows, bucket, tier, client);
        }
        if (level == Level.ROUTE) {
            return List.of(new Origin("route", Map.of("prefix", bucket.route()), List.of(RATE, BURST), true));
        }
        return List.of(
                setting(rows, level.word() + ".requests_per_second", RATE),
                setting(rows, level.word() + ".burst", BURST));
    }

    private static Origin setting(PolicyRows rows, String name, String gives) {
        boolean row = rows.settings().stream().anyMatch(each -> each.name().equals(name));
        return new Origin("setting", Map.of(NAME, name), List.of(gives), row);
    }

    private static List<Origin> ofTool(PolicyRows rows, BucketName bucket, String tier, @Nullable String client) {
        List<Origin> origins = new ArrayList<>();
        String kind = bucket.level().word();
        if (bucket.tool().equals(BucketName.UNREGISTERED)) {
            origins.add(setting(rows, "unregistered_tools", TIER));
        } else {
            Map<String, String> key = new LinkedHashMap<>();
            key.put("route", bucket.route());
            key.put("kind", kind);
            key.put(NAME, bucket.tool());
            Optional<PolicyRows.ClientTool> own = rows.clientTools().stream()
                    .filter(row -> row.client().equals(client)
                            && row.route().equals(bucket.route())
                            && row.kind().equals(kind)
                            && row.tool().equals(bucket.tool())
                            && row.tier() != null)
                    .findFirst();
            own.ifPresent(row -> {
                Map<String, String> override = new LinkedHashMap<>();
                override.put("client", row.client());
                override.put("route", row.route());
                override.put("kind", row.kind());
                override.put("tool", row.tool());
                origins.add(new Origin("client_tool", override, List.of(TIER), true));
            });
            origins.add(new Origin("tool", key, own.isPresent() ? List.of(COST) : List.of(TIER, COST), true));
        }
        origins.add(new Origin(
                "tool_tier",
                Map.of(NAME, tier),
                List.of(RATE, BURST, "cooldown_seconds", "max_concurrent", "max_wait_ms", "mode"),
                true));
        return origins;
    }
}
