package dev.weir.run.demo;

import io.modelcontextprotocol.server.McpServerFeatures.AsyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.time.Clock;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The tools that answer at once. The SDK has checked the arguments against the schema before they run. */
final class ShortTools {

    private ShortTools() {}

    static AsyncToolSpecification echo() {
        Tool tool = ToolText.tool(
                "echo",
                "Returns the text that it is given.",
                Map.of("text", Map.of("type", "string", "description", "What to say back")),
                List.of("text"));
        return specification(tool, call -> () -> ToolText.answer(text(call, "text", "")));
    }

    /** The time as RFC 3339 writes it, to the second. */
    static AsyncToolSpecification getTime(Clock clock) {
        Tool tool = ToolText.tool(
                "get_time",
                "Tells the date and time (RFC 3339) in a time zone.",
                Map.of(
                        "zone",
                        Map.of("type", "string", "description", "IANA name such as Asia/Shanghai", "default", "UTC")),
                List.of());
        return specification(tool, call -> () -> time(clock, text(call, "zone", "UTC")));
    }

    static AsyncToolSpecification inspectTableSchema(SampleDatabase database) {
        Tool tool = ToolText.tool(
                "inspect_table_schema",
                "Reads the database catalogue: columns, types, nullability, primary and foreign keys of one table.",
                Map.of("table", Map.of("type", "string", "description", "Table name, in upper or lower case")),
                List.of("table"));
        return specification(tool, call -> () -> inspect(database, text(call, "table", "")));
    }

    private static CallToolResult time(Clock clock, String zone) {
        if (!ZoneId.getAvailableZoneIds().contains(zone)) {
            return ToolText.error("Unknown time zone [" + zone + "]. Give an IANA name such as Europe/Paris.");
        }
        OffsetDateTime now = OffsetDateTime.now(clock.withZone(ZoneId.of(zone))).truncatedTo(ChronoUnit.SECONDS);
        return ToolText.answer(DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(now));
    }

    private static CallToolResult inspect(SampleDatabase database, String table) throws Exception {
        String schema = database.describe(table);
        return schema != null
                ? ToolText.answer(schema)
                : ToolText.error("No table [" + table + "]. There are: " + String.join(", ", database.tables()));
    }

    private static AsyncToolSpecification specification(
            Tool tool, Function<CallToolRequest, Callable<CallToolResult>> work) {
        return AsyncToolSpecification.builder()
                .tool(tool)
                .callHandler((exchange, call) -> Mono.fromCallable(work.apply(call)))
                .build();
    }

    private static String text(CallToolRequest call, String name, String absent) {
        @Nullable Map<String, Object> arguments = call.arguments();
        return arguments != null && arguments.get(name) instanceof String given ? given : absent;
    }
}
