package dev.weir.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the targets of a route are asked whether they are well. Immutable.
 *
 * @param kind  whether an MCP server is asked or any HTTP server
 * @param path  what is asked for, in place of the route's upstream path; empty for that path itself
 * @param every the pause between two questions
 */
public record HealthCheck(RouteKind kind, String path, Duration every) {

    /**
     * The check of a row; null if nobody asks.
     *
     * @throws IllegalArgumentException if a column cannot work as written; the message names it, the value and the rule
     */
    static @Nullable HealthCheck of(PolicyRows.HealthCheck row) {
        int seconds = Ranges.check("health_check_seconds", row.seconds(), 1, 3_600);
        if (!row.path().isEmpty() && !row.path().startsWith("/")) {
            throw new IllegalArgumentException(
                    "health_check_path must begin with a slash, not be [" + row.path() + "]");
        }
        return switch (row.kind()) {
            case "off" -> null;
            case "mcp" -> new HealthCheck(RouteKind.MCP, row.path(), Duration.ofSeconds(seconds));
            case "http" -> new HealthCheck(RouteKind.HTTP, row.path(), Duration.ofSeconds(seconds));
            default ->
                throw new IllegalArgumentException("health_check must be off, mcp or http, not [" + row.kind() + "]");
        };
    }
}
