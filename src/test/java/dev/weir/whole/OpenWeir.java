package dev.weir.whole;

import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

/** A Weir for callers without a credential, with limits that no test meets. Everything is judged all the same. */
final class OpenWeir {

    private static final String LIMITS = "UPDATE tool_tier SET rate_per_second = 10000, burst = 10000";

    private static final Map<String, String> ENVIRONMENT = Map.of(
            "MCP_AUTH_REQUIRED", "false",
            "MCP_RATE_LIMIT_REQUESTS_PER_SECOND", "10000",
            "MCP_RATE_LIMIT_BURST_SIZE", "10000");

    private OpenWeir() {}

    /**
     * Starts one that is ready for calls.
     *
     * @param directory where it keeps its data; an empty folder
     * @param routes the upstreams by their prefixes
     */
    static WeirProcess before(Path directory, Map<String, URI> routes) throws InterruptedException {
        WeirProcess weir = WeirProcess.start(directory, ENVIRONMENT);
        try {
            weir.awaitReady();
            long loaded = weir.policiesLoaded();
            String rows = routes.entrySet().stream()
                    .map(route -> "('%s', '%s')".formatted(route.getKey(), route.getValue()))
                    .collect(Collectors.joining(", "));
            String sql = "INSERT INTO route (prefix, upstream_url) VALUES " + rows + ";\n" + LIMITS;
            WeirProcess.Run written = WeirProcess.run(directory, Map.of(), "sql", sql);
            if (written.exitCode() != 0) {
                throw new AssertionError("the policy could not be written: " + written);
            }
            await("the policy is in force").until(() -> weir.policiesLoaded() > loaded);
            return weir;
        } catch (InterruptedException | RuntimeException | AssertionError e) {
            weir.close();
            throw e;
        }
    }
}
