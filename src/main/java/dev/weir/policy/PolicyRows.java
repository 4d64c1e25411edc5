package dev.weir.policy;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The policy as it stands in its tables, not yet checked. Two of these are equal when every row is, so that a change by
 * whatever means is seen by reading again.
 */
public record PolicyRows(
        List<Tier> tiers,
        List<Route> routes,
        List<Tool> tools,
        List<Client> clients,
        List<ClientKey> clientKeys,
        List<ClientTool> clientTools,
        List<Setting> settings) {

    /** A row of {@code tool_tier}: a named limit. */
    public record Tier(
            String name,
            double ratePerSecond,
            long burst,
            int cooldownSeconds,
            int maxConcurrent,
            int maxWaitMs,
            String mode) {}

    /** A row of {@code route}: a public prefix and the upstream behind it. */
    public record Route(
            String prefix,
            String upstreamUrl,
            @Nullable Double ratePerSecond,
            @Nullable Long burst,
            @Nullable String refusalForm,
            String batch,
            boolean enabled) {

        /** One that refuses batches. */
        public Route(
                String prefix,
                String upstreamUrl,
                @Nullable Double ratePerSecond,
                @Nullable Long burst,
                @Nullable String refusalForm,
                boolean enabled) {
            this(prefix, upstreamUrl, ratePerSecond, burst, refusalForm, "refuse", enabled);
        }
    }

    /** A row of {@code tool}: a registered tool of a route, or, by its kind, another method that is given a tier. */
    public record Tool(String route, String kind, String name, String tier, int cost, boolean enabled) {}

    /** A row of {@code client}: a named consumer. */
    public record Client(String id, String name, boolean enabled, boolean exempt) {}

    /** A row of {@code client_key}: a credential of a client, as its digest. */
    public record ClientKey(
            String sha256,
            String client,
            @Nullable Instant expiresAt,
            @Nullable Instant revokedAt) {}

    /** A row of {@code client_tool}: what one client gets on one tool; without a tier, the tool's own. */
    public record ClientTool(
            String client,
            String route,
            String kind,
            String tool,
            @Nullable String tier,
            boolean allowed) {}

    /** A row of {@code setting}. */
    public record Setting(String name, String content) {}
}
