package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.GetPromptRequest;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The official Java client through Weir to the demo server. See {@link FullTourIT} too. */
@Timeout(120)
class JavaClientIT {

    @TempDir
    Path directory;

    @Test
    void takesTheWholeTour() throws Exception {
        List<ProgressNotification> progress = new CopyOnWriteArrayList<>();
        try (WeirProcess weir = WeirProcess.demo(directory);
                McpSyncClient client = client(weir, weir.key("demo-agent"), progress::add)) {
            client.initialize();
            client.ping();
            assertThat(client.listTools().tools())
                    .extracting(McpSchema.Tool::name)
                    .contains("echo", "get_time", "inspect_table_schema", "export_report");
            assertThat(SdkCalls.call(client, "echo", Map.of("text", "hello, weir ✓")))
                    .contains("hello, weir ✓");
            assertThat(SdkCalls.call(client, "get_time", Map.of())).isNotEmpty();
            assertThat(inspect(client)).isNotEmpty();

            assertThat(SdkCalls.call(client, "export_report", Map.of())).isNotEmpty();
            assertThat(progress).isNotEmpty();

            assertThat(client.listResources().resources())
                    .extracting(McpSchema.Resource::uri)
                    .contains("weir-demo://readme");
            assertThat(client.readResource(ReadResourceRequest.builder("weir-demo://readme")
                                    .build())
                            .contents())
                    .isNotEmpty();
            assertThat(client.listPrompts().prompts())
                    .extracting(McpSchema.Prompt::name)
                    .contains("summarise_table");
            GetPromptRequest prompt = GetPromptRequest.builder("summarise_table")
                    .arguments(Map.of("table", "CUSTOMER"))
                    .build();
            assertThat(client.getPrompt(prompt).messages()).isNotEmpty();
            assertThat(client.closeGracefully()).isTrue();
        }
    }

    @Test
    void aLoopIsThrottledThenBannedAndTheOtherClientAtTheSameAddressGoesOn() throws Exception {
        try (WeirProcess weir = WeirProcess.demo(directory);
                McpSyncClient agent = client(weir, weir.key("demo-agent"), progress -> {});
                McpSyncClient dashboard = client(weir, weir.key("demo-dashboard"), progress -> {})) {
            agent.initialize();
            dashboard.initialize();
            // Whatever is slow only the first time is done before it counts, because tokens come back with time.
            inspect(dashboard);
            for (int n = 0; n < 10; n++) {
                SdkCalls.call(agent, "echo", Map.of("text", "warming up"));
            }
            List<RunawayLoop.Call> calls = new ArrayList<>();
            long start = System.nanoTime();
            for (int bans = 0; bans < 2 && calls.size() < 50; ) {
                RunawayLoop.Call call = SdkCalls.attempt(agent);
                calls.add(call);
                bans += call.code() == RunawayLoop.BANNED ? 1 : 0;
            }
            RunawayLoop.assertThrottledThenBanned(calls, Duration.ofNanos(System.nanoTime() - start));

            assertThat(SdkCalls.call(dashboard, "echo", Map.of("text", "still here")))
                    .contains("still here");
            assertThat(inspect(dashboard)).isNotEmpty();
        }
    }

    private static McpSyncClient client(WeirProcess weir, String key, Consumer<ProgressNotification> progress) {
        HttpClientStreamableHttpTransport transport = HttpClientStreamableHttpTransport.builder(
                        weir.url().toString())
                .endpoint("/mcp")
                .addHttpRequestCustomizer(
                        (request, method, uri, body, context) -> request.setHeader("Authorization", "Bearer " + key))
                .build();
        return McpClient.sync(transport).progressConsumer(progress).build();
    }

    private static String inspect(McpSyncClient client) {
        return SdkCalls.call(client, "inspect_table_schema", Map.of("table", "CUSTOMER"));
    }
}
