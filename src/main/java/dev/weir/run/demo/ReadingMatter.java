package dev.weir.run.demo;

import io.modelcontextprotocol.server.McpServerFeatures.AsyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncResourceSpecification;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import io.modelcontextprotocol.spec.McpSchema.GetPromptRequest;
import io.modelcontextprotocol.spec.McpSchema.GetPromptResult;
import io.modelcontextprotocol.spec.McpSchema.Prompt;
import io.modelcontextprotocol.spec.McpSchema.PromptArgument;
import io.modelcontextprotocol.spec.McpSchema.PromptMessage;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** What the demo server has beside its tools: a resource to read and a prompt to fill in. */
final class ReadingMatter {

    private static final String README = """
            This is the demo server of Weir, an MCP gateway that holds back runaway agents.
            Its tools look at a sample shop database in memory:
              inspect_table_schema  reads the catalogue of one table
              export_report         slow, tells its progress
              get_time, echo        answer at once
            Call inspect_table_schema in a loop, through Weir, and read what you are told.
            """;

    private ReadingMatter() {}

    static AsyncResourceSpecification readme() {
        Resource resource = Resource.builder("weir-demo://readme", "readme")
                .description("What this server is for")
                .mimeType("text/plain")
                .build();
        return new AsyncResourceSpecification(
                resource,
                (exchange, request) ->
                        Mono.just(ReadResourceResult.builder(List.of(TextResourceContents.builder(request.uri(), README)
                                        .mimeType("text/plain")
                                        .build()))
                                .build()));
    }

    static AsyncPromptSpecification summariseTable(SampleDatabase database) {
        Prompt prompt = Prompt.builder("summarise_table")
                .description("Asks for a summary of a table in plain words")
                .arguments(List.of(PromptArgument.builder("table")
                        .description("Table name")
                        .required(true)
                        .build()))
                .build();
        return new AsyncPromptSpecification(
                prompt, (exchange, request) -> Mono.fromCallable(() -> summarise(database, request)));
    }

    private static GetPromptResult summarise(SampleDatabase database, GetPromptRequest request) throws Exception {
        @Nullable Map<String, Object> arguments = request.arguments();
        Object table = arguments == null ? null : arguments.get("table");
        String schema = table instanceof String name ? database.describe(name) : null;
        if (schema == null) {
            throw McpError.builder(ErrorCodes.INVALID_PARAMS)
                    .message("Argument table must be one of " + database.tables() + ", not " + table)
                    .build();
        }
        String text =
                "Summarise in plain words what this table holds and how it hangs together with others.\n\n" + schema;
        return GetPromptResult.builder(List.of(PromptMessage.builder(
                                Role.USER, TextContent.builder(text).build())
                        .build()))
                .description("Summary of table " + table)
                .build();
    }
}
