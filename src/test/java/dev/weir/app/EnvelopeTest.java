package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Case O14: whatever is refused, and whatever the caller accepts, the answer is one JSON object that says why. */
@Timeout(60)
class EnvelopeTest {

    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path directory;

    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.hangUp());
        weir = RunningWeir.startWith(
                List.of(
                        "INSERT INTO route (prefix, upstream_url, refusal_form) VALUES ('/strict', 'http://127.0.0.1:9', 'http_429')",
                        "INSERT INTO route (prefix, upstream_url, refusal_form) VALUES ('/tool', 'http://127.0.0.1:9', 'tool_result')",
                        "INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('none', 0, 0)",
                        "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'N', 'none'), ('/strict', 'N', 'none'),"
                                + " ('/tool', 'N', 'none')",
                        "INSERT INTO tool (route, name, tier, enabled) VALUES ('/mcp', 'off', 'none', FALSE),"
                                + " ('/strict', 'off', 'none', FALSE)",
                        "INSERT INTO ban (principal, scope, expires_at) VALUES ('client:c2', 'all',"
                                + " TIMESTAMP WITH TIME ZONE '2099-01-01 00:00:00+00')"),
                directory,
                upstream.base());
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    @ParameterizedTest
    @CsvSource({
        // method, path, key, tool, content type, status, code of a JSON-RPC error (empty: none)
        "POST, /mcp, K1, N, application/json, 200, -32029",
        "POST, /strict, K1, N, application/json, 429, -32029",
        "POST, /mcp, K2, N, application/json, 200, -32030",
        "POST, /strict, K2, N, application/json, 403, -32030",
        "GET, /mcp, K2, , , 403,",
        "POST, /mcp, K1, off, application/json, 200, -32031",
        "POST, /strict, K1, off, application/json, 403, -32031",
        "POST, /mcp, bad, N, application/json, 401, 401",
        "GET, /mcp, bad, , , 401,",
        "POST, /nowhere, K1, N, application/json, 404,",
        "GET, /nowhere, K1, , , 404,",
        "POST, /mcp, K1, N, text/plain, 415, -32600",
        "POST, /mcp, K1, '', application/json, 400, -32600",
        "POST, /mcp, K1, free, application/json, 502, 502",
        "GET, /mcp, K1, , , 502,",
        "POST, /strict, K1, free, application/json, 502, 502",
    })
    void everyRefusalIsOneJsonObject(
            String method, String path, String key, String tool, String type, int status, Integer code)
            throws Exception {
        for (String accept : List.of("application/json, text/event-stream", "text/event-stream", "text/html")) {
            try (Wire wire = weir.wire()) {
                String body = tool == null ? "" : call("\"an id\"", tool);
                wire.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept: " + accept
                        + "\r\nAuthorization: Bearer " + (key.equals("K1") ? K1 : key.equals("K2") ? K2 : key)
                        + (type == null
                                ? "\r\n"
                                : "\r\nContent-Type: " + type + "\r\nContent-Length: "
                                        + body.getBytes(StandardCharsets.UTF_8).length + "\r\n")
                        + "\r\n" + body);
                Wire.Answer answer = wire.answer();
                assertThat(answer.status()).as(accept).isEqualTo(status);
                assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
                JsonNode json = JSON.readTree(answer.body());
                assertThat(json.isObject()).isTrue();
                assertThat(json.has("result")).isFalse();
                assertThat(json.has("error")).isTrue();
                if (code != null) {
                    assertThat(json.path("error").path("code").asInt()).isEqualTo(code);
                    if (status != 415) {
                        assertThat(json.path("id").asString()).isEqualTo("an id");
                    }
                } else {
                    assertThat(json.path("error").isString()).isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"K1, N", "K2, N"})
    void aToolsResultThatReportsARefusalHasNoErrorBesideIt(String key, String tool) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(
                    RunningWeir.post(key.equals("K1") ? K1 : K2, call(0, tool)).replace("POST /mcp ", "POST /tool "));
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(200);
            JsonNode json = JSON.readTree(answer.body());
            assertThat(json.path("result").path("isError").asBoolean()).isTrue();
            assertThat(json.has("error")).isFalse();
            assertThat(json.path("id").asInt()).isZero();
        }
    }
}
