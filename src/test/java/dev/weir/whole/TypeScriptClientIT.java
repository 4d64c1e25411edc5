package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
    void bothGenerationsAreShownTheToolsThatTheyMayCall() throws Exception {
        try (WeirProcess weir = WeirProcess.demo(directory)) {
            long loaded = weir.policiesLoaded();
            WeirProcess.Run edit = WeirProcess.run(
                    directory,
                    Map.of(),
                    "sql",
                    "INSERT INTO client_tool (client, route, tool, allowed)"
                            + " VALUES ('demo-agent', '/mcp', 'inspect_table_schema', FALSE)");
            assertThat(edit.exitCode()).as("%s", edit).isZero();
            weir.awaitPolicy(loaded);
            for (String who : List.of("demo-agent", "demo-dashboard")) {
                NodeScript.Ended listed = NodeScript.run("list-tools.mjs", weir.url() + "/mcp", weir.key(who));
                assertThat(listed.exitCode()).as(listed.said()).isZero();
                assertThat(listed.stdout()).hasSize(2).allSatisfy(line -> {
                    List<String> tools = JSON.readTree(line)
                            .path("tools")
                            .valueStream()
                            .map(JsonNode::asString)
                            .toList();
                    assertThat(tools).contains("echo", "get_time", "export_report");
                    assertThat(tools.contains("inspect_table_schema")).isEqualTo(who.equals("demo-dashboard"));
                });
            }
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
