package dev.weir.whole;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Calls tools of {@code /mcp} as any number of agents, which are told apart by their {@code User-Agent}. Safe for use by many
 * threads.
 */
final class AgentCaller {

    static final int THROTTLED = -32029;
    static final int BANNED = -32030;

    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI endpoint;

    AgentCaller(URI server) {
        this.endpoint = server.resolve("/mcp");
    }

    /**
     * What a call came to.
     *
     * @param error missing if the call was admitted
     * @param took  the time from the call to the answer
     */
    record Answer(JsonNode error, Duration took) {

        boolean admitted() {
            return error.isMissingNode();
        }

        /** The code of the error, or 0 where the call was admitted. */
        int code() {
            return error.path("code").asInt(0);
        }

        /** A member of the error's data, as text. */
        String told(String member) {
            return error.path("data").path(member).asString("");
        }
    }

    Answer call(String agent, String tool) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(endpoint)
                .timeout(Duration.ofSeconds(20))
                .header("User-Agent", agent)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .header("MCP-Protocol-Version", "2025-11-25")
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                                + "\",\"arguments\":{\"who\":\"" + agent + "\"}}}"))
                .build();
        long start = System.nanoTime();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        JsonNode message = JSON.readTree(response.body());
        if (!message.has("result") && !message.path("error").has("code")) {
            throw new AssertionError(response + " " + response.body());
        }
        return new Answer(message.path("error"), took);
    }
}
