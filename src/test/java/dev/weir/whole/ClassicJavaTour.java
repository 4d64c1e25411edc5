package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ClientCapabilities;
import io.modelcontextprotocol.spec.McpSchema.CompleteRequest;
import io.modelcontextprotocol.spec.McpSchema.CreateMessageResult;
import io.modelcontextprotocol.spec.McpSchema.ElicitResult;
import io.modelcontextprotocol.spec.McpSchema.GetPromptRequest;
import io.modelcontextprotocol.spec.McpSchema.GetPromptResult;
import io.modelcontextprotocol.spec.McpSchema.PromptReference;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.ResourceContents;
import io.modelcontextprotocol.spec.McpSchema.SubscribeRequest;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import io.modelcontextprotocol.spec.McpSchema.UnsubscribeRequest;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * One walk of the official Java client for the legacy era through everything that it can do with the fixture of {@link NodeServer}.
 * It cannot cancel a call. Like {@link ClassicJavaClient} the same class file is run with generations 1.1 and 2 of the SDK.
 */
final class ClassicJavaTour {

    private static final String WATCHED = "test://watched-resource";

    private final List<Double> progress = new CopyOnWriteArrayList<>();
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final List<String> updated = new CopyOnWriteArrayList<>();
    private final McpSyncClient client;

    private ClassicJavaTour(URI url) {
        HttpClientStreamableHttpTransport transport = HttpClientStreamableHttpTransport.builder(
                        url.resolve("/").toString())
                .endpoint(url.getPath())
                .build();
        client = McpClient.sync(transport)
                .capabilities(capabilities())
                .sampling(asked -> new CreateMessageResult(
                        McpSchema.Role.ASSISTANT, text("Paris, says the model"), "none", null, null))
                .elicitation(answering(Map.of("response", "mine")))
                .progressConsumer(told -> progress.add(told.progress()))
                .loggingConsumer(told -> logged.add(told.data()))
                .resourcesUpdateConsumer(
                        contents -> contents.stream().map(ResourceContents::uri).forEach(updated::add))
                .build();
    }

    /** Takes the tour, with whichever SDK is on the class path. */
    public static void main(String[] arguments) {
        take(URI.create(arguments[0]));
        // The SDK may have left threads that would keep the process.
        System.exit(0);
    }

    /** Takes the tour at that endpoint; returns when the session has been ended. */
    static void take(URI url) {
        ClassicJavaTour tour = new ClassicJavaTour(url);
        tour.client.initialize();
        tour.client.ping();
        tour.setLoggingLevel();
        tour.lists();
        tour.tools();
        tour.questionsOfTheServer();
        tour.promptsAndResources();
        tour.subscription();
        assertThat(tour.client.closeGracefully()).isTrue();
    }

    /** The newer SDK warns of log messages because the next revision of the protocol has another way for them. */
    @SuppressWarnings("deprecation")
    private void setLoggingLevel() {
        client.setLoggingLevel(McpSchema.LoggingLevel.INFO);
    }

    private void lists() {
        assertThat(client.listTools().tools()).extracting(McpSchema.Tool::name).contains("test_simple_text");
        assertThat(client.listResources().resources())
                .extracting(McpSchema.Resource::uri)
                .contains(WATCHED);
        assertThat(client.listResourceTemplates().resourceTemplates())
                .extracting(McpSchema.ResourceTemplate::uriTemplate)
                .containsExactly("test://template/{id}/data");
        assertThat(client.listPrompts().prompts())
                .extracting(McpSchema.Prompt::name)
                .contains("test_prompt_with_arguments");
    }

    private void tools() {
        assertThat(call("test_simple_text", Map.of())).contains("simple text");
        assertThat(result("test_multiple_content_types", Map.of()).content()).hasSize(3);
        assertThat(result("test_error_handling", Map.of()).isError()).isTrue();

        call("test_tool_with_progress", Map.of());
        await("told of the progress").until(() -> progress.size() == 3);
        assertThat(progress).containsExactly(0.0, 50.0, 100.0);

        call("test_tool_with_logging", Map.of());
        await("told of the log").until(() -> logged.size() == 3);
        assertThat(logged)
                .containsExactly("Tool execution started", "Tool processing data", "Tool execution completed");
    }

    private void questionsOfTheServer() {
        assertThat(call("test_sampling", Map.of("prompt", "Where?"))).contains("Paris, says the model");
        assertThat(call("test_elicitation", Map.of("message", "Who?"))).contains("\"response\":\"mine\"");
    }

    private void promptsAndResources() {
        GetPromptResult prompt = client.getPrompt(
                new GetPromptRequest("test_prompt_with_arguments", Map.of("arg1", "one", "arg2", "two ✓"), null));
        assertThat(((TextContent) prompt.messages().get(0).content()).text()).contains("arg1='one'", "arg2='two ✓'");

        ResourceContents read = client.readResource(new ReadResourceRequest("test://template/7/data", null))
                .contents()
                .get(0);
        assertThat(((TextResourceContents) read).text()).contains("\"id\":\"7\"");
        assertThatThrownBy(() -> client.readResource(new ReadResourceRequest("test://nowhere", null)))
                .isInstanceOf(McpError.class)
                .hasMessageContaining("not found");

        CompleteRequest half = new CompleteRequest(
                new PromptReference(PromptReference.TYPE, "test_prompt_with_arguments", null),
                new CompleteRequest.CompleteArgument("arg1", "par"),
                null,
                null);
        assertThat(client.completeCompletion(half).completion().values())
                .containsExactly("paris", "park", "party", "parrot");
    }

    private void subscription() {
        client.subscribeResource(new SubscribeRequest(WATCHED, null));
        await("told of the resource").until(() -> {
            call("touch_watched_resource", Map.of());
            return updated.contains(WATCHED);
        });
        client.unsubscribeResource(new UnsubscribeRequest(WATCHED, null));
    }

    private CallToolResult result(String tool, Map<String, Object> arguments) {
        return client.callTool(new CallToolRequest(tool, arguments, new HashMap<>(Map.of("progressToken", "tour"))));
    }

    private String call(String tool, Map<String, Object> arguments) {
        CallToolResult result = result(tool, arguments);
        assertThat(result.isError()).as("%s", result).isNotEqualTo(true);
        return ((TextContent) result.content().get(0)).text();
    }

    private static TextContent text(String words) {
        return new TextContent(null, words, null);
    }

    /** Whatever type the generation of the SDK has for what is asked. */
    private static <A> Function<A, ElicitResult> answering(Map<String, Object> content) {
        return asked -> new ElicitResult(ElicitResult.Action.ACCEPT, content, null);
    }

    /** The newer SDK warns of sampling because the next revision of the protocol does without. */
    @SuppressWarnings("deprecation")
    private static ClientCapabilities capabilities() {
        return ClientCapabilities.builder().sampling().elicitation().build();
    }
}
