package dev.weir.gate;

import dev.weir.mcp.McpMessage;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which messages are treated apart, and why. */
final class Methods {

    /** What a client has to say to be able to work at all: being refused one of these is never held against it. */
    private static final Set<String> HOUSEHOLD = Set.of(
            "initialize",
            "ping",
            "server/discover",
            "tools/list",
            "prompts/list",
            "resources/list",
            "resources/templates/list",
            "resources/subscribe",
            "resources/unsubscribe",
            "subscriptions/listen",
            "logging/setLevel");

    /** What ends work: refusing it would only keep the work going. */
    private static final Set<String> ENDING = Set.of("notifications/cancelled", "tasks/cancel");

    private Methods() {}

    /** Whether a throttle of this call may count as a strike. */
    static boolean canStrike(@Nullable McpMessage message) {
        return message != null
                && message.kind() == McpMessage.Kind.REQUEST
                && message.method() != null
                && !HOUSEHOLD.contains(message.method());
    }

    /** Whether a call is charged but passes whatever its buckets say. */
    static boolean alwaysPasses(Call call) {
        McpMessage message = call.message();
        if (message == null) {
            return call.kind() == Call.Kind.END;
        }
        // A client that is refused its probe for the newer protocol falls back to the older one for good.
        return message.kind() == McpMessage.Kind.RESPONSE
                || "server/discover".equals(message.method())
                || (message.method() != null && ENDING.contains(message.method()));
    }
}
