package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.log.LogCapture;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The lines of requests as they are written, byte by byte. */
@Timeout(60)
class RequestLinesTest {

    private static final String RESULT =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"fine\",\"token\":\"t-1\"}}";
    private static final String EVENT = "data: {\"a\":1}\n\n";

    @TempDir
    Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final StubUpstream upstream;
    private final LogCapture log = new LogCapture("json");

    RequestLinesTest() throws IOException {
        upstream = new StubUpstream((request, line) -> {
            if (request.body().contains("\"streams\"")) {
                line.head("text/event-stream");
                line.chunk(EVENT);
                line.chunk(EVENT);
                line.send("0\r\n\r\n");
            } else if (request.body().contains("\"sets\"")) {
                line.send(
                        "HTTP/1.1 200 X\r\nContent-Type: application/json\r\nSet-Cookie: sid=canary\r\nX-Told: yes\r\n"
                                + "Location: http://x/y?code=canary\r\nContent-Length: " + RESULT.length() + "\r\n\r\n"
                                + RESULT);
            } else {
                line.json(200, RESULT);
            }
        });
    }

    private RunningWeir start(String... settings) throws Exception {
        RunningWeir weir = RunningWeir.start(directory, upstream.base(), settings);
        open.add(weir);
        return weir;
    }

    @AfterEach
    void stop() throws Exception {
        log.close();
        for (AutoCloseable one : open) {
            one.close();
        }
        upstream.close();
    }

    private List<JsonNode> lines(int ends) {
        await().until(() -> log.soFar()
                        .lines()
                        .filter(line -> line.contains("\"request_end\"") || line.contains("\"request_error\""))
                        .count()
                >= ends);
        return log.lines();
    }

    private static JsonNode end(List<JsonNode> lines, String requestId) {
        return lines.stream()
                .filter(line -> line.path("request_id").asString("").equals(requestId))
                .filter(line -> line.path("event").asString().equals("request_end"))
                .findFirst()
                .orElseThrow();
    }

    /** O65, on the wire: what a caller writes makes no line and no member. */
    @Test
    void nothingThatACallerWritesForgesALineOrAMember() throws Exception {
        RunningWeir weir = start();
        List<String> nasty = List.of(
                "a%0d%0aERROR",
                "x".repeat(6_000),
                "\",\"level\":\"ERROR\",\"x\":\"",
                "\u001b[2J",
                "a\u2028b\u0085c",
                "a\u007f{\"event\":\"ban\",\"client\":\"c2\"}");
        int sent = 0;
        for (String value : nasty) {
            for (String header : List.of("X-Request-Id", "User-Agent", "Mcp-Session-Id", "X-Forwarded-For", "Origin")) {
                sent += ask(weir, post(K1, call(1, "T1"), header + ": " + value + "\r\n"));
            }
            sent += ask(weir, post(K1, call(1, json(value))));
            sent += ask(weir, post(K1, call(1, "T1").replace("tools/call", json(value))));
            sent += ask(weir, post(K1, call(1, "T1").replace("\"id\":1", "\"id\":\"" + json(value) + "\"")));
            String inAddress = value.length() > 1_000
                    ? value
                    : value.replace(" ", "%20")
                            .replace("\"", "%22")
                            .replace("{", "%7B")
                            .replace("}", "%7D");
            sent += ask(weir, post(K1, call(1, "T1")).replace("POST /mcp", "POST /mcp?" + inAddress + "=" + inAddress));
            sent += ask(weir, post(K1, call(1, "T1")).replace("POST /mcp", "POST /mcp/" + inAddress));
        }
        sent += ask(weir, post(K1, call(1, "T1"), "User-Agent: a\r\n {\"event\":\"ban\"}\r\n"));
        assertThat(sent).as("requests that were answered at all").isGreaterThan(30);
        List<JsonNode> lines = lines(5);
        assertThat(lines).isNotEmpty().allSatisfy(line -> {
            assertThat(line.path("event").asString())
                    .matches(
                            "request_(start|end|error|repeated)|throttled|banned|library|started|opened|(policy|bans|buckets)_loaded");
            line.properties()
                    .forEach(
                            member -> assertThat(member.getValue().asString("")).hasSizeLessThan(600));
            if (line.has("request_id")) {
                assertThat(line.path("request_id").asString())
                        .as("ours, and nothing of the caller's")
                        .matches("[0-9a-f-]{36}|[A-Za-z0-9._:-]{1,64}");
            }
        });
    }

    /** @return 1 if it was answered as a request, 0 if the container has refused it as none */
    private static int ask(RunningWeir weir, String request) throws IOException {
        try (Wire wire = weir.wire()) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            bytes.writeBytes(request.getBytes(StandardCharsets.UTF_8));
            wire.send(bytes.toByteArray());
            Wire.Head head = wire.head();
            assertThat(head.values("X-Request-ID"))
                    .allSatisfy(id -> assertThat(id).matches("[A-Za-z0-9._:-]{1,64}"));
            return head.values("X-Request-ID").size();
        }
    }

    private static String json(String value) {
        return value.replace("\"", "\\\"").replace("\u001b", "\\u001b").replace("\u007f", "\\ud800\\u007f");
    }

    @Test
    void anEndTellsHowManyBytesTheAnswerHadWhoeverWroteIt() throws Exception {
        RunningWeir weir = start();
        int refused;
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, call(1, "T1"), "X-Request-ID: buffered\r\n")
                    .replace("/mcp HTTP", "/mcp?token=abc&x HTTP"));
            assertThat(wire.answer().body()).isEqualTo(RESULT);
            wire.send(post(K1, call(1, "streams"), "X-Request-ID: streamed\r\n"));
            assertThat(wire.answer().body()).isEqualTo(EVENT + EVENT);
            wire.send(post(K1, "no json", "X-Request-ID: refused\r\n"));
            refused = wire.answer().body().length();
        }
        List<JsonNode> lines = lines(3);
        assertThat(end(lines, "buffered").path("bytes").asInt()).isEqualTo(RESULT.length());
        assertThat(end(lines, "buffered").path("query").asString()).isEqualTo("token=***&***");
        assertThat(end(lines, "streamed").path("bytes").asInt()).isEqualTo(2 * EVENT.length());
        assertThat(end(lines, "refused").path("bytes").asInt()).isEqualTo(refused);
        assertThat(end(lines, "refused").path("refusal").asString()).isEqualTo("unreadable");
        assertThat(end(lines, "buffered").has("request_body")).isFalse();
        assertThat(end(lines, "buffered").has("response_headers")).isFalse();
    }

    @Test
    void headersOfTheAnswerAreShownWhereTheyAreListedAndWithoutSecrets() throws Exception {
        RunningWeir weir = start("mcp.log.response-headers", "Content-Type,X-Told,set-cookie,Location,Mcp-Session-Id");
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, call(1, "sets"), "X-Request-ID: sets\r\n"));
            wire.answer();
        }
        JsonNode headers = end(lines(1), "sets").path("response_headers");
        assertThat(headers.path("content-type").asString()).isEqualTo("application/json");
        assertThat(headers.path("x-told").asString()).isEqualTo("yes");
        assertThat(headers.path("set-cookie").asString("***")).isEqualTo("***");
        assertThat(headers.path("location").asString("")).doesNotContain("canary");
        assertThat(headers.has("mcp-session-id")).as("there was none").isFalse();
    }

    @Test
    void withDebugShortBodiesAreShownMasked() throws Exception {
        RunningWeir weir = start("mcp.debug", "true");
        try (Wire wire = weir.wire()) {
            wire.send(post(
                    K1,
                    call(1, "T1").replace("{}", "{\"table\":\"CUSTOMER\",\"password\":\"a\",\"said\":\"" + K1 + "\"}"),
                    "X-Request-ID: short\r\n"));
            wire.answer();
            wire.send(post(
                    K1, call(1, "T1").replace("{}", "{\"t\":\"" + "x ".repeat(600) + "\"}"), "X-Request-ID: long\r\n"));
            wire.answer();
            wire.send(post(K1, "{\"token\":\"a", "X-Request-ID: broken\r\n"));
            wire.answer();
        }
        List<JsonNode> lines = lines(3);
        assertThat(end(lines, "short").path("request_body").asString())
                .contains("\"table\":\"CUSTOMER\",\"password\":\"***\",\"said\":\"***\"");
        assertThat(end(lines, "short").path("response_body").asString()).isEqualTo(RESULT.replace("t-1", "***"));
        assertThat(end(lines, "long").has("request_body")).isFalse();
        assertThat(end(lines, "long").path("request_bytes").asInt()).isGreaterThan(1_200);
        assertThat(end(lines, "broken").path("request_body").asString()).isEqualTo("{\"token\":\"***\"");
        assertThat(end(lines, "broken").path("response_body").asString()).contains("-32700");
    }
}
