package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The official TypeScript clients, of both generations, through Weir to the demo server. */
@Timeout(600)
class TypeScriptClientIT {

    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"tour-sdk.mjs", "tour-client.mjs"})
    void bothGenerationsTakeTheWholeTour(String script) throws Exception {
        try (WeirProcess weir = WeirProcess.demo(directory)) {
            NodeScript.Ended tour = NodeScript.run(script, weir.url() + "/mcp", weir.key("demo-agent"));

            assertThat(tour.exitCode()).as(tour.said()).isZero();
            assertThat(tour.stdout())
                    .extracting(line -> JSON.readTree(line).get("step").asString())
                    .containsExactly(
                            "initialize",
                            "ping",
                            "tools/list",
                            "echo",
                            "get_time",
                            "inspect_table_schema",
                            "export_report",
                            "resources/list",
                            "resources/read",
                            "prompts/list",
                            "prompts/get",
                            "terminate");
        }
    }

    @Test
    void aLoopReadsThatItIsThrottledAndThenThatItIsBanned() throws Exception {
        try (WeirProcess weir = WeirProcess.demo(directory)) {
            NodeScript.Ended loop = NodeScript.run("refused-sdk.mjs", weir.url() + "/mcp", weir.key("demo-agent"));

            assertThat(loop.exitCode()).as(loop.said()).isZero();
            List<JsonNode> calls = loop.stdout().stream().map(JSON::readTree).toList();
            assertThat(calls).hasSize(12);
            assertThat(calls.subList(0, 5)).allMatch(call -> call.has("result"));
            assertThat(calls.subList(5, 10)).allSatisfy(call -> {
                assertThat(call.path("code").asInt()).isEqualTo(-32029);
                assertThat(call.path("message").asString()).contains("Cooling down for 30s");
            });
            assertThat(calls.subList(10, 12)).allSatisfy(call -> {
                assertThat(call.path("code").asInt()).isEqualTo(-32030);
                assertThat(call.path("message").asString()).contains("banned from tool calls");
            });
        }
    }
}
