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
        List<Setting> settings,
        List<RouteTarget> routeTargets,
        List<RouteHeader> routeHeaders,
        List<ClientRoute> clientRoutes,
        List<ClientToken> clientTokens) {

    /** Those without what many policies do not need: further targets, headers, permissions for routes and clients of tokens. */
    public PolicyRows(
            List<Tier> tiers,
            List<Route> routes,
            List<Tool> tools,
            List<Client> clients,
            List<ClientKey> clientKeys,
            List<ClientTool> clientTools,
            List<Setting> settings) {
        this(
                tiers,
                routes,
                tools,
                clients,
                clientKeys,
                clientTools,
                settings,
                List.of(),
                List.of(),
                List.of(),
                List.of());
    }

    /** A row of {@code tool_tier}: a named limit. */
    public record Tier(
            String name,
            double ratePerSecond,
            long burst,
            int cooldownSeconds,
            int maxConcurrent,
            int maxWaitMs,
            String mode) {}

    /** A row of {@code route}: a public prefix and the upstream behind it, with its columns in groups. */
    public record Route(
            String prefix,
            String kind,
            String upstreamUrl,
            @Nullable Double ratePerSecond,
            @Nullable Long burst,
            @Nullable String refusalForm,
            String batch,
            Transit transit,
            HealthCheck check,
            Breaker breaker,
            Guard guard,
            boolean enabled) {

        /** One with the defaults of the table. */
        public Route(String prefix, String upstreamUrl) {
            this(
                    prefix,
                    "mcp",
                    upstreamUrl,
                    null,
                    null,
                    null,
                    "refuse",
                    Transit.DEFAULT,
                    HealthCheck.DEFAULT,
                    Breaker.DEFAULT,
                    Guard.DEFAULT,
                    true);
        }
    }

    /** The columns of {@code route} on the way to the upstream and back. */
    public record Transit(
            boolean stripPrefix,
            boolean preserveHost,
            String errorMode,
            @Nullable String tls,
            int connectTimeoutMs,
            int firstByteTimeoutMs,
            int idleTimeoutMs,
            int totalTimeoutMs,
            int maxConnections,
            int maxQueued,
            long maxBodyBytes) {

        /** The defaults of the table. */
        public static final Transit DEFAULT =
                new Transit(true, false, "unified", null, 3_000, 60_000, 600_000, 0, 1_024, 1_024, 0);
    }

    /** The columns of {@code route} that say how targets are asked whether they are well. */
    public record HealthCheck(String kind, String path, int seconds) {

        /** The defaults of the table. */
        public static final HealthCheck DEFAULT = new HealthCheck("off", "", 10);
    }

    /** The columns of {@code route} about its circuit breaker. */
    public record Breaker(
            boolean enabled,
            int failures,
            int failurePercent,
            int minCalls,
            int windowSeconds,
            int slowMs,
            int slowPercent,
            int openSeconds,
            int probes) {

        /** The defaults of the table. */
        public static final Breaker DEFAULT = new Breaker(true, 5, 50, 20, 30, 0, 50, 30, 2);
    }

    /** The columns of {@code route} about who may call, and what the upstream is told of it. */
    public record Guard(
            String access,
            String scopes,
            String identity,
            @Nullable String identitySecret) {

        /** The defaults of the table. */
        public static final Guard DEFAULT = new Guard("all", "", "none", null);
    }

    /** A row of {@code route_target}: another upstream of a route. */
    public record RouteTarget(String route, String url, boolean enabled) {}

    /** A row of {@code route_header}: what is put on every request to the upstreams of a route. */
    public record RouteHeader(String route, String name, String content) {}

    /** A row of {@code tool}: a registered tool of a route, or, by its kind, another method that is given a tier. */
    public record Tool(
            String route,
            String kind,
            String name,
            String tier,
            int cost,
            String access,
            String scopes,
            boolean enabled) {

        /** One that everybody may call who may call on its route. */
        public Tool(String route, String kind, String name, String tier, int cost, boolean enabled) {
            this(route, kind, name, tier, cost, "all", "", enabled);
        }
    }

    /** A row of {@code client}: a named consumer. */
    public record Client(String id, String name, boolean enabled, boolean exempt, String scopes, String role) {

        /** One without scopes, in the role of an agent. */
        public Client(String id, String name, boolean enabled, boolean exempt) {
            this(id, name, enabled, exempt, "", "agent");
        }
    }

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

    /** A row of {@code client_route}: whether one client may call on one route, and there all tools or only listed ones. */
    public record ClientRoute(String client, String route, boolean allowed, String tools) {}

    /** A row of {@code client_token}: whose tokens are those with this content of this claim. */
    public record ClientToken(String claim, String content, String client) {}

    /** A row of {@code setting}. */
    public record Setting(String name, String content) {}
}
