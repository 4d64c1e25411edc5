package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The official TypeScript clients, of both generations, through Weir to the demo server. See {@link FullTourIT} too. */
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
            List<JsonNode> lines = loop.stdout().stream().map(JSON::readTree).toList();
            List<RunawayLoop.Call> calls = lines.stream()
                    .map(line -> new RunawayLoop.Call(
                            line.path("code").asInt(0), line.path("message").asString("")))
                    .toList();
            Duration took =
                    Duration.ofMillis(lines.get(lines.size() - 1).path("ms").asInt());
            RunawayLoop.assertThrottledThenBanned(calls, took);
        }
    }
}
