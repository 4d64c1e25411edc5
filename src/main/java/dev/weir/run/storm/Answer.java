package dev.weir.run.storm;

import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What came back for one call.
 *
 * @param kind what the gateway made of the call
 * @param text what the agent is told, in one line
 */
record Answer(Kind kind, String text) {

    private static final String REASON = "dev.weir/reason";

    /** What the gateway made of a call. A tool that answers with an error of its own was reached, so it was admitted. */
    enum Kind {
        ADMITTED,
        THROTTLED,
        BANNED,
        FORBIDDEN,
        FAILED;

        boolean refused() {
            return this == THROTTLED || this == BANNED || this == FORBIDDEN;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Answer of(CallToolResult result) {
        @Nullable Map<String, Object> meta = result.meta();
        boolean error = Boolean.TRUE.equals(result.isError());
        Object reason = error && meta != null ? meta.get(REASON) : null;
        return new Answer(reason == null ? Kind.ADMITTED : ofReason(reason), text(result));
    }

    static Answer of(Throwable error) {
        if (error instanceof McpError refusal && refusal.getJsonRpcError() != null) {
            var told = refusal.getJsonRpcError();
            return new Answer(ofCode(told.code()), Failure.oneLine(told.message()));
        }
        return new Answer(Kind.FAILED, Failure.words(error));
    }

    private static Kind ofReason(Object reason) {
        for (Kind kind : Kind.values()) {
            if (kind.refused() && kind.word().equals(reason)) {
                return kind;
            }
        }
        return Kind.FAILED;
    }

    /** Weir's codes: the first of each pair is said to clients of the legacy era, the second to those of the modern one. */
    private static Kind ofCode(int code) {
        return switch (code) {
            case -32029, -31029 -> Kind.THROTTLED;
            case -32030, -31030 -> Kind.BANNED;
            case -32031, -31031 -> Kind.FORBIDDEN;
            default -> Kind.FAILED;
        };
    }

    private static String text(CallToolResult result) {
        return Failure.oneLine(result.content().stream()
                .filter(TextContent.class::isInstance)
                .map(content -> ((TextContent) content).text())
                .collect(Collectors.joining(" ")));
    }
}
