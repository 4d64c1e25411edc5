package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientSseClientTransport;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The official clients on the older transport HTTP+SSE, through Weir, with the official servers of both languages: a
 * tour, then a loop that is throttled and banned and never hangs.
 */
@Timeout(180)
class LegacyTransportIT {

    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path directory;

    private WeirProcess weir;

    @BeforeEach
    void start() throws Exception {
        weir = WeirProcess.demo(directory);
    }

    @AfterEach
    void stop() {
        weir.close();
    }

    @Test
    void bothClientsWithTheJavaServer() throws Exception {
        try (LegacyServer server = LegacyServer.start()) {
            lead(server.url());
            javaTour("demo-agent");
            typeScriptTour("demo-dashboard", "sdk");
        }
    }

    @Test
    void bothClientsWithTheTypeScriptServer() throws Exception {
        try (ChildProcess server = NodeScript.start("legacy-server.mjs")) {
            await().until(() -> !server.stdout().isEmpty());
            lead(URI.create(JSON.readTree(server.stdout().get(0)).path("url").asString()));
            javaTour("demo-agent");
            typeScriptTour("demo-dashboard", "client");
        }
    }

    /** Makes the demo's route lead to another server. */
    private void lead(URI upstream) throws InterruptedException {
        long loaded = weir.policiesLoaded();
        WeirProcess.Run update = WeirProcess.run(
                directory, Map.of(), "sql", "UPDATE route SET upstream_url = '" + upstream + "' WHERE prefix = '/mcp'");
        assertThat(update.exitCode()).as("%s", update).isZero();
        weir.awaitPolicy(loaded);
    }

    private void javaTour(String who) {
        List<ProgressNotification> progress = new CopyOnWriteArrayList<>();
        try (McpSyncClient client = client(weir.key(who), progress::add)) {
            assertThat(client.initialize().serverInfo().name()).isEqualTo("legacy");
            assertThat(client.listTools().tools())
                    .extracting(Tool::name)
                    .containsExactlyInAnyOrder("echo", "inspect_table_schema", "export_report");
            assertThat(SdkCalls.call(client, "echo", Map.of("text", "hello, weir ✓")))
                    .isEqualTo("hello, weir ✓");
            assertThat(SdkCalls.call(client, "export_report", Map.of())).isEqualTo("report");
            await().untilAsserted(() -> assertThat(progress).hasSize(3));
            for (int n = 0; n < 10; n++) {
                SdkCalls.call(client, "echo", Map.of("text", "warming up"));
            }
            List<RunawayLoop.Call> calls = new ArrayList<>();
            long start = System.nanoTime();
            for (int bans = 0; bans < 2 && calls.size() < 50; ) {
                RunawayLoop.Call call = SdkCalls.attempt(client);
                calls.add(call);
                bans += call.code() == RunawayLoop.BANNED ? 1 : 0;
            }
            RunawayLoop.assertThrottledThenBanned(calls, Duration.ofNanos(System.nanoTime() - start));
            assertThat(client.listTools().tools()).hasSize(3);
        }
    }

    private void typeScriptTour(String who, String generation) throws Exception {
        NodeScript.Ended tour = NodeScript.run("tour-sse.mjs", weir.url() + "/mcp", weir.key(who), generation);
        assertThat(tour.exitCode()).as(tour.said()).isZero();
        List<JsonNode> lines = tour.stdout().stream().map(JSON::readTree).toList();
        assertThat(lines)
                .extracting(line -> line.path("step").asString())
                .filteredOn(step -> !step.equals("loop"))
                .containsExactly("fallback", "initialize", "tools/list", "echo", "export_report", "end");
        assertThat(lines.get(0).path("status").asInt()).isIn(400, 404, 405);
        assertThat(lines.get(4).path("progress").asInt()).isEqualTo(3);
        List<JsonNode> loop = lines.stream()
                .filter(line -> line.path("step").asString().equals("loop"))
                .toList();
        RunawayLoop.assertThrottledThenBanned(
                loop.stream()
                        .map(line -> new RunawayLoop.Call(
                                line.path("code").asInt(0), line.path("message").asString("")))
                        .toList(),
                Duration.ofMillis(loop.get(loop.size() - 1).path("ms").asInt()));
    }

    // The SDK warns of the older transport, which is what this is about.
    @SuppressWarnings("deprecation")
    private McpSyncClient client(String key, Consumer<ProgressNotification> progress) {
        HttpClientSseClientTransport transport = HttpClientSseClientTransport.builder(
                        weir.url().toString())
                .sseEndpoint("/mcp")
                .addHttpRequestCustomizer(
                        (request, method, uri, body, context) -> request.setHeader("Authorization", "Bearer " + key))
                .build();
        return McpClient.sync(transport)
                .requestTimeout(Duration.ofSeconds(10))
                .progressConsumer(progress)
                .build();
    }
}
