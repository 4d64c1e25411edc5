package dev.weir.whole;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** The MCP server of {@code src/test/node/conformance}, which has all that the conformance suite asks for. */
final class ConformanceFixture implements AutoCloseable {

    private static final JsonMapper JSON = new JsonMapper();

    private final ChildProcess process;
    private final URI url;

    private ConformanceFixture(ChildProcess process, URI url) {
        this.process = process;
        this.url = url;
    }

    /** @param options see {@code server.mjs} */
    static ConformanceFixture start(String... options) throws IOException, InterruptedException {
        ChildProcess process = NodeScript.start("conformance/server.mjs", Map.of(), options);
        try {
            await("the fixture listens")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> !process.stdout().isEmpty() || !process.isAlive());
            if (process.stdout().isEmpty()) {
                throw new AssertionError("the fixture did not start" + process.said());
            }
            String first = process.stdout().get(0);
            return new ConformanceFixture(
                    process, URI.create(JSON.readTree(first).get("url").asString()));
        } catch (RuntimeException | AssertionError e) {
            process.close();
            throw e;
        }
    }

    URI url() {
        return url;
    }

    /** How many legacy sessions their clients have ended so far. */
    int endedSessions() throws IOException, InterruptedException {
        HttpRequest count =
                HttpRequest.newBuilder(url.resolve("/ended-sessions")).build();
        return Integer.parseInt(
                HttpClient.newHttpClient().send(count, BodyHandlers.ofString()).body());
    }

    /**
     * Weir before this fixture, ready for calls, for callers without a credential and with limits that no test meets.
     *
     * @param directory where Weir keeps its data
     */
    WeirProcess behindWeir(Path directory) throws InterruptedException {
        Map<String, String> environment = Map.of(
                "MCP_UPSTREAM", url.toString(),
                "MCP_AUTH_REQUIRED", "false",
                "MCP_RATE_LIMIT_REQUESTS_PER_SECOND", "10000",
                "MCP_RATE_LIMIT_BURST_SIZE", "10000");
        return openToAll(directory, environment);
    }

    /** Weir with this environment, and with tool tiers that no test meets the end of. */
    static WeirProcess openToAll(Path directory, Map<String, String> environment) throws InterruptedException {
        WeirProcess weir = WeirProcess.start(directory, environment);
        try {
            weir.awaitReady();
            long loaded = weir.policiesLoaded();
            WeirProcess.Run sql = WeirProcess.run(
                    directory, Map.of(), "sql", "UPDATE tool_tier SET rate_per_second = 10000, burst = 10000");
            if (sql.exitCode() != 0) {
                throw new AssertionError("the tiers could not be widened: " + sql);
            }
            await("the wide tiers are in force").until(() -> weir.policiesLoaded() > loaded);
            return weir;
        } catch (InterruptedException | RuntimeException | AssertionError e) {
            weir.close();
            throw e;
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
