package dev.weir.run.demo;

import io.modelcontextprotocol.server.McpAsyncServerExchange;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The slow tool: works in steps, tells its progress after each of them, and answers with a report at the end. */
final class ExportReport {

    private ExportReport() {}

    static AsyncToolSpecification tool() {
        Tool tool = ToolText.tool(
                "export_report",
                "Exports order lines as CSV. Slow: it takes steps times delayMs, and tells its progress on the way.",
                Map.of(
                        "rows", whole("Order lines to export", 1, 1000, 50),
                        "delayMs", whole("Milliseconds that each step takes", 0, 2000, 200),
                        "steps", whole("Steps to do it in", 1, 50, 5)),
                List.of());
        return AsyncToolSpecification.builder()
                .tool(tool)
                .callHandler(ExportReport::export)
                .build();
    }

    private static Mono<CallToolResult> export(McpAsyncServerExchange exchange, CallToolRequest call) {
        int rows = argument(call, "rows", 50);
        int steps = argument(call, "steps", 5);
        Duration pause = Duration.ofMillis(argument(call, "delayMs", 200));
        return Flux.range(1, steps)
                .concatMap(step -> Mono.delay(pause).then(progress(exchange, call, step, steps)))
                .then(Mono.fromSupplier(() -> ToolText.answer(csv(rows))));
    }

    private static Mono<Void> progress(McpAsyncServerExchange exchange, CallToolRequest call, int step, int steps) {
        @Nullable Object token = call.progressToken();
        if (token == null) {
            return Mono.empty();
        }
        return exchange.progressNotification(ProgressNotification.builder(token, step)
                .total((double) steps)
                .message("step " + step + " of " + steps)
                .build());
    }

    private static String csv(int rows) {
        StringBuilder csv = new StringBuilder("order_id,line_no,product_id,quantity\n");
        for (int row = 0; row < rows; row++) {
            csv.append(1000 + row / 3).append(',').append(row % 3 + 1).append(',');
            csv.append(row * 7 % 40 + 1).append(',').append(row % 5 + 1).append('\n');
        }
        return csv.toString();
    }

    private static int argument(CallToolRequest call, String name, int absent) {
        @Nullable Map<String, Object> arguments = call.arguments();
        return arguments != null && arguments.get(name) instanceof Number given ? given.intValue() : absent;
    }

    private static Map<String, Object> whole(String description, int min, int max, int absent) {
        return Map.of("type", "integer", "description", description, "minimum", min, "maximum", max, "default", absent);
    }
}
