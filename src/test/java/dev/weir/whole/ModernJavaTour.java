package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.McpSchema.CallToolResult;
import io.modelcontextprotocol.modern.McpSchema.ElicitResult;
import io.modelcontextprotocol.modern.McpSchema.Implementation;
import io.modelcontextprotocol.modern.McpSchema.PromptReference;
import io.modelcontextprotocol.modern.McpSchema.TextContent;
import io.modelcontextprotocol.modern.McpSchema.TextResourceContents;
import io.modelcontextprotocol.modern.client.McpClient;
import io.modelcontextprotocol.modern.client.McpSyncClient;
import io.modelcontextprotocol.modern.client.McpTimeoutException;
import io.modelcontextprotocol.modern.client.SubscriptionEvent;
import io.modelcontextprotocol.modern.client.transport.HttpClientMcpTransport;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One walk of the official Java client for the modern era through everything that it can do with the fixture of {@link NodeServer}.
 * It knows of no log messages, and answers no questions but those for the user.
 */
final class ModernJavaTour {

    private static final String WATCHED = "test://watched-resource";

    private final McpSyncClient client;

    private ModernJavaTour(URI url) {
        client = McpClient.sync(HttpClientMcpTransport.builder(url.toString()).build())
                .clientInfo(Implementation.builder("weir-tour", "1").build())
                .formElicitation(asked -> ElicitResult.accept(Map.of("name", "Weir", "color", "blue")))
                .build();
    }

    /** Takes the tour at that endpoint. */
    static void take(URI url) throws Exception {
        ModernJavaTour tour = new ModernJavaTour(url);
        assertThat(tour.client.discover().supportedVersions()).contains("2026-07-28");
        tour.lists();
        tour.tools();
        tour.questionsOfTheServer();
        tour.promptsAndResources();
        tour.subscription();
        tour.cancel();
    }

    private void lists() {
        assertThat(client.tools().list().tools())
                .extracting(McpSchema.Tool::name)
                .contains("test_simple_text");
        assertThat(client.resources().list().resources())
                .extracting(McpSchema.Resource::uri)
                .contains(WATCHED);
        assertThat(client.resourceTemplates().list().resourceTemplates())
                .extracting(McpSchema.ResourceTemplate::uriTemplate)
                .containsExactly("test://template/{id}/data");
        assertThat(client.prompts().list().prompts())
                .extracting(McpSchema.Prompt::name)
                .contains("test_prompt_with_arguments");
    }

    private void tools() {
        assertThat(call("test_simple_text")).contains("simple text");
        assertThat(client.tool("test_error_handling").call().isError()).isTrue();
        List<Double> progress = new CopyOnWriteArrayList<>();
        client.tool("test_tool_with_progress")
                .progress(told -> progress.add(told.progress()))
                .call();
        assertThat(progress).containsExactly(0.0, 50.0, 100.0);
        // Its definition has been listed, so that the client sends the arguments in headers too.
        CallToolResult mirrored = client.tool("test_mirrored_arguments")
                .arguments(Map.of("region", "Köln", "shard", 7))
                .call();
        assertThat(text(mirrored)).contains("Köln");
    }

    private void questionsOfTheServer() {
        assertThat(call("test_input_required_result_elicitation")).isEqualTo("Hello, Weir!");
        assertThat(call("test_input_required_result_multi_round")).isEqualTo("Two rounds are over.");
    }

    private void promptsAndResources() {
        McpSchema.GetPromptResult prompt = client.prompt("test_prompt_with_arguments")
                .arguments(Map.of("arg1", "one", "arg2", "two ✓"))
                .get();
        assertThat(((TextContent) prompt.messages().get(0).content()).text()).contains("arg1='one'", "arg2='two ✓'");
        McpSchema.ReadResourceResult read =
                client.resource("test://template/7/data").read();
        assertThat(((TextResourceContents) read.contents().get(0)).text()).contains("\"id\":\"7\"");
        assertThatThrownBy(() -> client.resource("test://nowhere").read()).isInstanceOf(McpException.class);
        McpSchema.CompleteResult completed = client.completion(
                        new PromptReference("test_prompt_with_arguments"), "arg1", "par")
                .complete();
        assertThat(completed.completion().values()).containsExactly("paris", "park", "party", "parrot");
    }

    private void subscription() throws Exception {
        List<SubscriptionEvent> events = new CopyOnWriteArrayList<>();
        McpSyncClient.Listening listening =
                client.listen().resourceUpdates(WATCHED).open(events::add);
        await("told of the resource").until(() -> {
            call("touch_watched_resource");
            return events.stream()
                    .anyMatch(event -> event instanceof SubscriptionEvent.ResourceUpdated updated
                            && updated.uri().equals(WATCHED));
        });
        listening.close();
    }

    /** In this era a client cancels a call by going away, which Weir sees when it has something to write. */
    private void cancel() {
        int before = Integer.parseInt(call("count_given_up"));
        assertThatThrownBy(() -> client.tool("wait_for_ever")
                        .progress(told -> {})
                        .callTimeout(Duration.ofMillis(400))
                        .call())
                .isInstanceOf(McpTimeoutException.class);
        await("the server hears of it").until(() -> Integer.parseInt(call("count_given_up")) > before);
    }

    private String call(String tool) {
        CallToolResult result = client.tool(tool).call();
        assertThat(result.isError()).as("%s", result).isNotEqualTo(true);
        return text(result);
    }

    private static String text(CallToolResult result) {
        return ((TextContent) result.content().get(0)).text();
    }
}
