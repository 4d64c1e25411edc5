package dev.weir.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class McpReplyTest {

    @Test
    void anErrorEchoesTheIdAndHasNoResult() {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("reason", "throttled");
        data.put("limit", 2.0);
        data.put("burst", 5L);
        data.put("cooling", true);
        data.put("nothing", null);

        String json =
                new String(McpReply.error(new RequestId("9223372036854775808"), -32029, "a \"b\"\n", data), UTF_8);

        assertThat(json)
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":9223372036854775808,\"error\":{\"code\":-32029,\"message\":\"a"
                        + " \\\"b\\\"\\n\",\"data\":{\"reason\":\"throttled\",\"limit\":2,\"burst\":5,\"cooling\":true,"
                        + "\"nothing\":null}}}");
    }

    @Test
    void aNumberIsWrittenAsAPersonWouldWriteIt() {
        Map<String, Object> numbers = new LinkedHashMap<>();
        numbers.put("wait", 0.001);
        numbers.put("tiny", 7.25E-4);
        numbers.put("half", 0.5);
        numbers.put("many", 1E6);
        numbers.put("none", 0.0);
        assertThat(new String(McpReply.object(numbers), UTF_8))
                .isEqualTo("{\"wait\":0.001,\"tiny\":0.000725,\"half\":0.5,\"many\":1000000,\"none\":0}");
    }

    @Test
    void anErrorWithoutIdSaysNull() {
        assertThat(new String(McpReply.error(null, -32700, "x", Map.of()), UTF_8))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}");
    }

    @Test
    void aToolResultNamesItsTypeInTheModernEraOnly() {
        RequestId id = new RequestId("\"a\"");
        assertThat(new String(McpReply.toolError(id, Era.LEGACY, "wait", Map.of("k", 1)), UTF_8))
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"wait\"}],"
                                + "\"isError\":true,\"_meta\":{\"k\":1}}}");
        assertThat(new String(McpReply.toolError(id, Era.MODERN, "wait", Map.of()), UTF_8))
                .contains("\"result\":{\"resultType\":\"complete\",\"content\"");
    }
}
