package dev.weir.telemetry;

import dev.weir.mcp.McpMessage;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names of spans. There are to be few, because whoever collects them groups by them: what callers make up is in none, unless the
 * gate has let it pass and it is short.
 */
final class SpanNames {

    private static final int MAX_LENGTH = 64;

    private static final Set<String> HTTP_METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");

    private static final Set<String> MCP_METHODS = Set.of(
            "completion/complete",
            "initialize",
            "logging/setLevel",
            "notifications/cancelled",
            "notifications/initialized",
            "notifications/progress",
            "notifications/roots/list_changed",
            "ping",
            "prompts/get",
            "prompts/list",
            "resources/list",
            "resources/read",
            "resources/subscribe",
            "resources/templates/list",
            "resources/unsubscribe",
            "server/discover",
            "subscriptions/listen",
            "tasks/cancel",
            "tasks/get",
            "tasks/update",
            "tools/call",
            "tools/list");

    private SpanNames() {}

    /** @param admitted whether the gate has let the request pass */
    static String of(String httpMethod, @Nullable String route, @Nullable McpMessage message, boolean admitted) {
        String method = message == null ? null : message.method();
        if (message == null || method == null || !(MCP_METHODS.contains(method) || (admitted && isShort(method)))) {
            String http = HTTP_METHODS.contains(httpMethod) ? httpMethod : "HTTP";
            return route == null ? http : http + " " + route;
        }
        String tool = message.tool();
        return tool != null && admitted && isShort(tool) ? method + " " + tool : method;
    }

    /** An HTTP method, unless somebody has made it up. */
    static String method(String httpMethod) {
        return HTTP_METHODS.contains(httpMethod) ? httpMethod : "_OTHER";
    }

    private static boolean isShort(String text) {
        return text.length() <= MAX_LENGTH;
    }
}
