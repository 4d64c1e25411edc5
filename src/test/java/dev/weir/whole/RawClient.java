package dev.weir.whole;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A legacy-era MCP client in plain HTTP, which hides nothing: no retries, no checks, no waiting.
 *
 * <p>For one thread.
 */
final class RawClient {

    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI endpoint;
    private final Map<String, String> headers;
    private int lastId;

    private RawClient(URI endpoint, Map<String, String> headers) {
        this.endpoint = endpoint;
        this.headers = headers;
    }

    /** Opens a session at {@code /mcp}. */
    static RawClient connect(URI server, Map<String, String> headers) throws IOException, InterruptedException {
        RawClient first = new RawClient(server.resolve("/mcp"), headers);
        ObjectNode hello = JSON.createObjectNode().put("protocolVersion", "2025-11-25");
        hello.putObject("capabilities");
        hello.putObject("clientInfo").put("name", "raw").put("version", "1");
        Answer answer = first.request("initialize", hello);
        String session = answer.http().headers().firstValue("Mcp-Session-Id").orElse(null);
        if (session == null || !answer.message().has("result")) {
            throw new AssertionError("no session: " + answer);
        }
        RawClient client = new RawClient(
                first.endpoint,
                Stream.of(headers, Map.of("Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-11-25"))
                        .flatMap(some -> some.entrySet().stream())
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
        client.lastId = first.lastId;
        client.send(client.message("notifications/initialized"));
        return client;
    }

    /** Opens a session as the owner of an API key. */
    static RawClient connect(URI server, String key) throws IOException, InterruptedException {
        return connect(server, Map.of("Authorization", "Bearer " + key));
    }

    /** A JSON-RPC message, and when it was here. */
    record Arrival(JsonNode message, long nanos) {}

    /** All that came back for one request, over JSON or SSE. */
    record Answer(HttpResponse<?> http, List<Arrival> arrivals) {

        /** The response itself, behind any notifications. */
        JsonNode message() {
            if (arrivals.isEmpty()) {
                throw new AssertionError("no message in the answer " + http);
            }
            return arrivals.get(arrivals.size() - 1).message();
        }

        boolean admitted() {
            return message().has("result");
        }

        /** The JSON-RPC error code, or 0 where the call was admitted. */
        int code() {
            return message().path("error").path("code").asInt(0);
        }

        String errorText() {
            return message().path("error").path("message").asString("");
        }

        /** How long before the response the first message of this method was here; negative if none was. */
        Duration lead(String method) {
            long end = arrivals.get(arrivals.size() - 1).nanos();
            return arrivals.stream()
                    .filter(arrival ->
                            arrival.message().path("method").asString("").equals(method))
                    .findFirst()
                    .map(arrival -> Duration.ofNanos(end - arrival.nanos()))
                    .orElse(Duration.ofNanos(-1));
        }
    }

    /** Calls a tool, with one argument, and asks for progress. */
    Answer call(String tool, String argument, String content) throws IOException, InterruptedException {
        ObjectNode params = JSON.createObjectNode().put("name", tool);
        params.putObject("arguments").put(argument, content);
        params.putObject("_meta").put("progressToken", "progress-" + (lastId + 1));
        return request("tools/call", params);
    }

    Answer echo() throws IOException, InterruptedException {
        return call("echo", "text", "hello");
    }

    Answer inspect() throws IOException, InterruptedException {
        return call("inspect_table_schema", "table", "CUSTOMER");
    }

    /** Sends a request with an id of its own. */
    Answer request(String method, ObjectNode params) throws IOException, InterruptedException {
        ObjectNode message = message(method).put("id", ++lastId);
        message.set("params", params);
        return send(message);
    }

    Answer request(String method) throws IOException, InterruptedException {
        return request(method, JSON.createObjectNode());
    }

    private ObjectNode message(String method) {
        return JSON.createObjectNode().put("jsonrpc", "2.0").put("method", method);
    }

    private Answer send(JsonNode message) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint)
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString(message.toString()));
        headers.forEach(request::header);
        HttpResponse<Stream<String>> response = http.send(request.build(), HttpResponse.BodyHandlers.ofLines());
        boolean events =
                response.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
        return new Answer(response, events ? events(response.body()) : plain(response.body()));
    }

    private static List<Arrival> events(Stream<String> lines) {
        List<Arrival> arrivals = new ArrayList<>();
        Iterator<String> each = lines.iterator();
        while (each.hasNext()) {
            String line = each.next();
            if (line.startsWith("data:") && line.length() > "data: ".length()) {
                arrivals.add(new Arrival(JSON.readTree(line.substring("data:".length())), System.nanoTime()));
            }
        }
        return arrivals;
    }

    private static List<Arrival> plain(Stream<String> lines) {
        String body = String.join("\n", lines.toList());
        return body.isBlank() ? List.of() : List.of(new Arrival(JSON.readTree(body), System.nanoTime()));
    }
}
