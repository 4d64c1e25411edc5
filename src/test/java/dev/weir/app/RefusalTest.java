package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a refused agent is told, byte for byte where it matters. */
@Timeout(60)
class RefusalTest {

    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path directory;

    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream(
                (request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}"));
        weir = RunningWeir.start(directory, upstream.base());
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    private Wire.Answer ask(Wire wire, String key, String body) throws IOException {
        wire.send(post(key, body));
        return wire.answer();
    }

    /** Uses up the five tokens of T1. */
    private void drain(Wire wire) throws IOException {
        for (int i = 0; i < 5; i++) {
            assertThat(ask(wire, K1, call(i, "T1")).body()).contains("\"result\"");
        }
    }

    /** Five throttles that count at least, because a slow machine gives a token back in between; then the ban. */
    private String throttleUntilBanned(Wire wire) throws IOException {
        int throttled = 0;
        String answer = ask(wire, K1, call(6, "T1")).body();
        while (answer.contains("-32029") && throttled < 60) {
            throttled++;
            answer = ask(wire, K1, call(6, "T1")).body();
        }
        assertThat(throttled).isGreaterThanOrEqualTo(5);
        return answer;
    }

    private void set(String name, String content) throws Exception {
        weir.sql("INSERT INTO setting (name, content) VALUES ('" + name + "', '" + content + "')");
    }

    @Test
    void aThrottledCallIsAJsonRpcErrorThatSaysHowLongToWait() throws Exception {
        try (Wire wire = weir.wire()) {
            drain(wire);
            Wire.Answer answer = ask(wire, K1, call("\"req-98214\"", "T1"));

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
            assertThat(answer.head().values("Retry-After")).containsExactly("30");
            assertThat(answer.head().values("X-RateLimit-Limit")).containsExactly("5");
            assertThat(answer.head().values("X-RateLimit-Remaining")).containsExactly("0");
            assertThat(answer.head().values("RateLimit-Policy")).containsExactly("\"heavy\";q=5;w=3");
            assertThat(answer.head().values("RateLimit").get(0)).startsWith("\"heavy\";r=0;t=");
            JsonNode message = JSON.readTree(answer.body());
            assertThat(message.path("id").asString()).isEqualTo("req-98214");
            assertThat(message.has("result")).isFalse();
            JsonNode error = message.path("error");
            assertThat(error.path("code").asInt()).isEqualTo(-32029);
            assertThat(error.path("message").asString())
                    .isEqualTo(
                            "Tool [T1] rate limit exceeded. Cooling down for 30s. Please review your reasoning loop.");
            JsonNode data = error.path("data");
            assertThat(data.path("reason").asString()).isEqualTo("throttled");
            assertThat(data.path("level").asString()).isEqualTo("tool");
            assertThat(data.path("tool").asString()).isEqualTo("T1");
            assertThat(data.path("tier").asString()).isEqualTo("heavy");
            assertThat(data.path("limit").asDouble()).isEqualTo(2);
            assertThat(data.path("burst").asInt()).isEqualTo(5);
            assertThat(data.path("retryAfterMs").asInt()).isBetween(29_000, 30_000);
            assertThat(data.path("strikes").asInt()).isEqualTo(1);
            assertThat(data.path("strikesUntilBan").asInt()).isEqualTo(5);
            assertThat(data.path("requestId").asString())
                    .isEqualTo(answer.head().values("X-Request-ID").get(0));
        }
        assertThat(upstream.received()).hasSize(5);
    }

    @Test
    void theSixthThrottleAnnouncesTheBanAndTheOtherClientGoesOn() throws Exception {
        try (Wire wire = weir.wire();
                Wire other = weir.wire()) {
            drain(wire);
            JsonNode error = JSON.readTree(throttleUntilBanned(wire)).path("error");
            assertThat(error.path("code").asInt()).isEqualTo(-32030);
            assertThat(error.path("message").asString())
                    .matches(
                            "Client is banned from tool calls for another 1[45]m \\d+s after 6 throttles in 10s on \\[T1]\\."
                                    + " Stop calling tools and report this to your operator\\.");
            String banId = error.path("data").path("banId").asString();
            assertThat(error.path("data").path("reason").asString()).isEqualTo("banned");
            assertThat(error.path("data").path("bannedUntil").asString())
                    .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
            List<String> rows = weir.database()
                    .withHandle(handle -> handle.select("SELECT id FROM ban WHERE principal = 'client:c1'")
                            .mapTo(String.class)
                            .list());
            assertThat(rows).as("in the database before it was announced").containsExactly(banId);

            assertThat(ask(wire, K1, call(12, "echo")).body()).contains("-32030");
            assertThat(ask(other, K2, call(1, "T1")).body()).contains("\"result\"");
            assertThat(ask(wire, K1, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}")
                            .body())
                    .contains("\"result\"");
        }
    }

    @Test
    void aBanThatIsLiftedInTheDatabaseIsLiftedWithinASecond() throws Exception {
        try (Wire wire = weir.wire()) {
            drain(wire);
            throttleUntilBanned(wire);
            assertThat(ask(wire, K1, call(1, "echo")).body()).contains("-32030");
            weir.sql("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP");
            await().untilAsserted(() ->
                    assertThat(ask(wire, K1, call(1, "echo")).body()).contains("\"result\""));
        }
    }

    /** Case O04. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "\"\"", "\"0\"", "9007199254740993", "9223372036854775808", "-0", "\"é\\n\""})
    void theIdIsEchoedWithItsTypeAndEveryDigit(String id) throws Exception {
        try (Wire wire = weir.wire()) {
            drain(wire);
            assertThat(ask(wire, K1, call(id, "T1")).body())
                    .startsWith("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":");
        }
    }

    @Test
    void aRefusalMayBeAToolResult() throws Exception {
        set("refusal_form", "tool_result");
        try (Wire wire = weir.wire()) {
            awaitThrottled(wire, "\"isError\":true");
            JsonNode message = JSON.readTree(ask(wire, K1, call(7, "T1")).body());
            assertThat(message.path("id").asInt()).isEqualTo(7);
            assertThat(message.has("error")).isFalse();
            JsonNode result = message.path("result");
            assertThat(result.path("isError").asBoolean()).isTrue();
            assertThat(result.has("resultType")).isFalse();
            assertThat(result.path("content").path(0).path("type").asString()).isEqualTo("text");
            assertThat(result.path("content").path(0).path("text").asString()).contains("Tool [T1]");
            assertThat(result.path("_meta").path("dev.weir/reason").asString()).isEqualTo("throttled");
        }
    }

    @Test
    void aRefusalMayBeAStatus() throws Exception {
        set("refusal_form", "http_429");
        try (Wire wire = weir.wire()) {
            awaitThrottled(wire, "-32029");
            Wire.Answer answer = ask(wire, K1, call(7, "T1"));
            assertThat(answer.status()).isIn(429, 403);
            await().until(() -> ask(wire, K1, call(7, "T1")).status() == 403);
            assertThat(ask(wire, K1, call(7, "T1")).body()).contains("-32030");
        }
    }

    /** Calls until the setting that was just written is in force and the tool is empty. */
    private void awaitThrottled(Wire wire, String sign) throws Exception {
        weir.sql("INSERT INTO setting (name, content) VALUES ('ban.threshold', '1000')");
        await().until(() -> ask(wire, K1, call(1, "T1")).body().contains(sign));
        weir.sql("DELETE FROM setting WHERE name = 'ban.threshold'");
    }

    @Test
    void inTheModernEraTheCodesAreOthersAndACallIsAnsweredByAResult() throws Exception {
        String call = call(1, "T1")
                .replace(
                        "\"arguments\"",
                        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"},\"arguments\"");
        try (Wire wire = weir.wire()) {
            drain(wire);
            wire.send(post(K1, call, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: T1\r\n"));
            assertThat(wire.answer().body()).contains("\"result\":{\"resultType\":\"complete\"");
        }
    }

    @Test
    void aNotificationThatIsRefusedIsDroppedWithoutAnAnswer() throws Exception {
        try (Wire wire = weir.wire()) {
            drain(wire);
            Wire.Answer answer = ask(wire, K1, call(1, "T1").replace("\"id\":1,", ""));
            assertThat(answer.status()).isEqualTo(202);
            assertThat(answer.body()).isEmpty();
        }
        assertThat(upstream.received()).hasSize(5);
    }

    @Test
    void aStreamThatIsRefusedIsTold429WithTheSecondsToWait() throws Exception {
        set("channel.requests_per_second", "0.1");
        set("channel.burst", "1");
        try (Wire wire = weir.wire()) {
            Wire.Answer answer;
            do {
                wire.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer "
                        + K1 + "\r\n\r\n");
                answer = wire.answer();
            } while (answer.status() == 200);
            assertThat(answer.status()).isEqualTo(429);
            assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
            assertThat(Integer.parseInt(answer.head().values("Retry-After").get(0)))
                    .isBetween(1, 10);
            assertThat(answer.body())
                    .matches("\\{\"error\":\"Rate limit exceeded\",\"retry_after\":\\d+(\\.\\d{1,3})?}");
            wire.send("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1 + "\r\n\r\n");
            assertThat(wire.answer().status())
                    .as("a DELETE ends work and passes")
                    .isEqualTo(200);
        }
    }

    @Test
    void whatIsLeftIsToldOnAdmittedAnswersToo() throws Exception {
        try (Wire wire = weir.wire()) {
            Wire.Head head = ask(wire, K1, call(1, "T1")).head();
            assertThat(head.values("X-RateLimit-Limit")).containsExactly("5");
            assertThat(head.values("X-RateLimit-Remaining")).containsExactly("4");
            assertThat(head.values("Retry-After")).isEmpty();
        }
    }
}
