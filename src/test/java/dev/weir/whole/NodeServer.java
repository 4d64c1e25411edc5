package dev.weir.whole;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/** An MCP server of the official TypeScript SDK, on a free port of the loopback address. Whoever starts one closes it. */
final class NodeServer implements AutoCloseable {

    private static final JsonMapper JSON = new JsonMapper();

    private final ChildProcess process;
    private final URI url;

    private NodeServer(ChildProcess process, URI url) {
        this.process = process;
        this.url = url;
    }

    /**
     * The one of {@code src/test/node/conformance}, which has all that the conformance suite asks for.
     *
     * @param options see {@code server.mjs}
     */
    static NodeServer fixture(String... options) throws IOException, InterruptedException {
        return listening(NodeScript.startOnNewest(Map.of(), "conformance/server.mjs", options), "/mcp");
    }

    /**
     * The official {@code server-everything}, which would listen on all addresses if nobody kept it from that.
     *
     * @param mode {@code streamableHttp} or {@code sse}
     */
    static NodeServer everything(String mode) throws IOException, InterruptedException {
        Map<String, String> environment = Map.of("PORT", "0", "NODE_OPTIONS", "--import ./loopback.mjs");
        String script = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
        return listening(NodeScript.startOnNewest(environment, script, mode), mode.equals("sse") ? "/sse" : "/mcp");
    }

    private static NodeServer listening(ChildProcess process, String path) {
        try {
            await("the server listens")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> url(process).isPresent() || !process.isAlive());
            URI url = url(process).orElseThrow(() -> new AssertionError("the server did not start" + process.said()));
            return new NodeServer(process, url.resolve(path));
        } catch (RuntimeException | AssertionError e) {
            process.close();
            throw e;
        }
    }

    private static Optional<URI> url(ChildProcess process) {
        return process.stdout().stream()
                .filter(line -> line.startsWith("{\"url\""))
                .map(line -> URI.create(JSON.readTree(line).get("url").asString()))
                .findFirst();
    }

    /** Its MCP endpoint. */
    URI url() {
        return url;
    }

    @Override
    public void close() {
        process.close();
    }
}
