package dev.weir.gate;

import dev.weir.mcp.McpMessage;
import dev.weir.policy.UnratedMethods;
import java.util.Set;

/** Which messages are treated apart, and why. */
final class Methods {

    /** What ends work: refusing it would only keep the work going. */
    private static final Set<String> ENDING = Set.of("notifications/cancelled", "tasks/cancel");

    private Methods() {}

    /** Whether a throttle of this call may count as a strike. */
    static boolean canStrike(Call call) {
        return call.messages().stream().anyMatch(Methods::canStrike);
    }

    private static boolean canStrike(McpMessage message) {
        return message.kind() == McpMessage.Kind.REQUEST
                && message.method() != null
                && !UnratedMethods.contains(message.method());
    }

    /** Whether a call is charged but passes whatever its buckets say. */
    static boolean alwaysPasses(Call call) {
        if (call.message() == null) {
            return call.kind() == Call.Kind.END;
        }
        return call.messages().stream().allMatch(Methods::alwaysPasses);
    }

    /** Whether there may be a list of tools in the answer: to whom asks for one, or on a stream that is opened by itself. */
    static boolean mayListTools(Call call) {
        return call.kind() == Call.Kind.OTHER
                || call.messages().stream().anyMatch(message -> McpMessage.TOOLS_LIST.equals(message.method()));
    }

    private static boolean alwaysPasses(McpMessage message) {
        // A client that is refused its probe for the newer protocol falls back to the older one for good.
        return message.kind() == McpMessage.Kind.RESPONSE
                || "server/discover".equals(message.method())
                || (message.method() != null && ENDING.contains(message.method()));
    }
}
