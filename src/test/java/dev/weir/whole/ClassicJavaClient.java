package dev.weir.whole;

import dev.weir.whole.RefusalTask.Outcome;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse.JSONRPCError;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * The official Java client for the legacy era. Holds to what generations 1.1 and 2 of the SDK have in common: the same class
 * file is run with either, the older one in a process of its own.
 */
final class ClassicJavaClient implements RefusedClient {

    private final McpSyncClient client;

    private ClassicJavaClient(McpSyncClient client) {
        this.client = client;
    }

    /** Does the tasks in a file, and prints what came of each as a line of JSON. */
    public static void main(String[] arguments) throws Exception {
        JsonMapper json = new JsonMapper();
        RefusalTask[] tasks = json.readValue(Files.readString(Path.of(arguments[0])), RefusalTask[].class);
        for (RefusalTask.Done done : RefusedClient.all(List.of(tasks), ClassicJavaClient::connect)) {
            System.out.println(json.writeValueAsString(done));
        }
        // The SDK may have left threads that would keep the process.
        System.exit(0);
    }

    /** Starts {@link #main} with the SDK of the generation before. */
    static ChildProcess older(Path directory, List<RefusalTask> tasks) throws IOException {
        Path file = RefusalTask.write(directory.resolve("older-java.json"), tasks);
        return older(directory, ClassicJavaClient.class, file.toString());
    }

    /**
     * Starts a class with the SDK of the generation before, in place of the one that this test runs with. The libraries under
     * the SDK stay those of the test.
     */
    static ChildProcess older(Path directory, Class<?> main, String argument) {
        Stream<String> others = Arrays.stream(
                        System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("mcp-"));
        String classPath = Stream.concat(Stream.of(System.getProperty("weir.older-mcp-sdk") + "/*"), others)
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command =
                List.of(ChildProcess.java(), "-XX:TieredStopAtLevel=1", "-cp", classPath, main.getName(), argument);
        return ChildProcess.start(command, directory, Map.of());
    }

    static RefusedClient connect(RefusalTask task) {
        URI url = URI.create(task.url());
        HttpClientStreamableHttpTransport transport = HttpClientStreamableHttpTransport.builder(
                        url.resolve("/").toString())
                .endpoint(url.getPath())
                .requestBuilder(HttpRequest.newBuilder().header("Authorization", "Bearer " + task.key()))
                .build();
        McpSyncClient client =
                McpClient.sync(transport).requestTimeout(Duration.ofSeconds(20)).build();
        client.initialize();
        return new ClassicJavaClient(client);
    }

    @Override
    public Outcome call(String tool) {
        try {
            CallToolResult result = client.callTool(new CallToolRequest(tool, RefusalTask.ARGUMENTS, null));
            String text = ((TextContent) result.content().get(0)).text();
            return Outcome.result(Boolean.TRUE.equals(result.isError()), text, result.meta());
        } catch (McpError refused) {
            JSONRPCError error = refused.getJsonRpcError();
            return error == null
                    ? Outcome.thrown(refused, null, null)
                    : Outcome.thrown(refused, error.code(), error.data());
        } catch (RuntimeException refused) {
            return Outcome.thrown(refused, null, null);
        }
    }

    @Override
    public List<String> tools() {
        return client.listTools().tools().stream().map(Tool::name).toList();
    }

    @Override
    public void close() {
        client.close();
    }
}
