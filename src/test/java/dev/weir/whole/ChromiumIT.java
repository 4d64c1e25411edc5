package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Pages in a real browser, on origins of their own, that run the official TypeScript clients against Weir: cases O56, O57 and
 * O58 with the browser's own idea of CORS.
 */
@Timeout(180)
class ChromiumIT {

    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path directory;

    @Test
    void anAllowedPageReadsEverythingAndAForeignOneNothing() throws Exception {
        Path chromium = Programs.find("chromium", "what pages in a browser can read");
        int port = ChildProcess.freePort();
        Map<String, String> environment =
                Map.of("MCP_AUTH_REQUIRED", "true", "MCP_ALLOWED_ORIGINS", "http://page.test:" + port);
        try (WeirProcess weir =
                WeirProcess.start(directory, environment, "--demo").awaitReady()) {
            NodeScript.Ended ended = NodeScript.run(
                    "browser.mjs",
                    chromium.toString(),
                    weir.url() + "/mcp",
                    weir.key("demo-agent"),
                    weir.key("demo-dashboard"),
                    String.valueOf(port));

            assertThat(ended.exitCode()).as(ended.said()).isZero();
            Map<String, JsonNode> steps = ended.stdout().stream()
                    .map(JSON::readTree)
                    .collect(Collectors.toMap(line -> line.get("step").asString(), line -> line));
            assertSession(steps.get("sdk"));
            assertSession(steps.get("client"));
            assertThat(steps.get("no key").get("status").asInt()).isEqualTo(401);
            assertThat(steps.get("no key").get("challenge").asString()).startsWith("Bearer");
            assertThat(steps.get("no key").get("body").asString()).contains("unauthenticated");
            for (String foreign : List.of("foreign", "foreign, no preflight")) {
                assertThat(steps.get(foreign).get("error").asString()).isEqualTo("TypeError");
                assertThat(steps.get(foreign).has("status")).isFalse();
            }
        }
    }

    private static void assertSession(JsonNode step) {
        assertThat(step.get("tools").toString()).contains("inspect_table_schema");
        assertThat(step.get("echo").get("text").asString()).contains("hello");
        JsonNode throttled = step.get("refusals").path("-32029");
        assertThat(throttled.path("text").asString()).contains("rate limit exceeded", "Cooling down");
        assertThat(throttled.path("retryAfter").asString()).containsPattern("^[0-9]+$");
        JsonNode banned = step.get("refusals").path("-32030");
        assertThat(banned.path("text").asString()).contains("Client is banned from tool calls");
        assertThat(banned.path("retryAfter").asString()).containsPattern("^[0-9]+$");

        List<JsonNode> notes =
                StreamSupport.stream(step.get("notes").spliterator(), false).toList();
        String session = notes.get(0).get("newSession").asString();
        assertThat(session).as("the page can read the session that was opened").isNotEmpty();
        assertThat(notes.subList(1, notes.size())).allSatisfy(note -> {
            assertThat(note.get("session").asString()).isEqualTo(session);
            assertThat(note.get("version").asString()).isEqualTo("2025-11-25");
            assertThat(note.get("requestId").asString()).isNotEmpty();
        });
        assertThat(notes).anySatisfy(note -> {
            assertThat(note.get("method").asString()).isEqualTo("GET");
            assertThat(note.get("status").asInt()).isEqualTo(200);
            assertThat(note.get("type").asString()).startsWith("text/event-stream");
        });
        JsonNode last = notes.get(notes.size() - 1);
        assertThat(last.get("method").asString()).isEqualTo("DELETE");
        assertThat(last.get("status").asInt()).isEqualTo(200);
    }
}
