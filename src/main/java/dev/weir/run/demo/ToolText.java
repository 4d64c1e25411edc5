package dev.weir.run.demo;

import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.List;
import java.util.Map;

/** What a tool says of itself and what it answers, in the SDK's types. */
final class ToolText {

    private ToolText() {}

    /** A tool that takes an object with these properties, each a JSON Schema of its own. */
    static Tool tool(String name, String description, Map<String, Object> properties, List<String> required) {
        Map<String, Object> schema = Map.of("type", "object", "properties", properties, "required", required);
        return Tool.builder(name, schema).description(description).build();
    }

    /** An answer of one text. */
    static CallToolResult answer(String text) {
        return CallToolResult.builder().addTextContent(text).isError(false).build();
    }

    /** The tool's own error, which the model gets to read. */
    static CallToolResult error(String text) {
        return CallToolResult.builder().addTextContent(text).isError(true).build();
    }
}
