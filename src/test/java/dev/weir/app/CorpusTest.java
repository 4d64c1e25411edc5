package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.corpus.Corpus;
import dev.weir.corpus.Entry;
import dev.weir.corpus.RawRequest;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The corpus over real sockets: what is refused is refused in JSON and never goes up, what is accepted goes up byte by byte, and
 * either way the next request is served. Cases O01 to O12 stand beside the entries.
 */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CorpusTest {

    private static final String GOOD = "{\"jsonrpc\":\"2.0\",\"id\":\"good\",\"method\":\"ping\"}";
    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":\"good\",\"result\":{}}";
    private static final JsonMapper JSON = new JsonMapper();

    /** A session that stands in requests of real clients. */
    private static final Pattern SESSION = Pattern.compile("(?i)(Mcp-Session-Id: )(\\S+)");

    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        upstream = new StubUpstream((request, line) -> {
            String id = String.join("", request.values("Test-Session"));
            if (id.isEmpty()) {
                line.json(200, PONG);
            } else {
                line.send("HTTP/1.1 200 OK\r\nMcp-Session-Id: " + id + "\r\nContent-Length: 2\r\n\r\n{}");
            }
        });
        weir = RunningWeir.startWith(
                List.of(
                        "UPDATE tool_tier SET rate_per_second = 100000, burst = 100000",
                        "INSERT INTO setting (name, content) VALUES ('channel.requests_per_second', '100000')",
                        "INSERT INTO setting (name, content) VALUES ('channel.burst', '100000')"),
                directory,
                upstream.base());
    }

    @AfterAll
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    static Stream<Entry> entries() {
        return Corpus.all();
    }

    static Stream<RawRequest> smuggling() {
        return Corpus.smuggling();
    }

    @ParameterizedTest
    @MethodSource("entries")
    void isRefusedInJsonOrGoesUpByteByByte(Entry entry) throws Exception {
        byte[] request = request(entry);
        int before = upstream.received().size();
        try (Wire wire = weir.wire()) {
            wire.send(request);
            Wire.Answer answer = wire.answer();
            if (entry.answer() instanceof Entry.Refused refused) {
                assertRefused(entry, refused, answer);
                assertThat(upstream.received()).hasSize(before);
            } else {
                assertThat(answer.status()).as(answer.body()).isEqualTo(200);
                assertThat(answer.body()).isEqualTo(PONG);
                assertThat(upstream.received()).hasSize(before + 1);
                assertWentUp(entry, upstream.received().get(before));
            }
        }
        assertServed();
    }

    private byte[] request(Entry entry) throws IOException {
        StringBuilder head = new StringBuilder("POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ");
        head.append(K1).append("\r\n");
        entry.headers().forEach(header -> head.append(header).append("\r\n"));
        Matcher session = SESSION.matcher(head);
        if (session.find()) {
            // As the client would have been told it here.
            head.replace(session.start(), session.end(), session.group(1) + told(session.group(2)));
        }
        head.append("Content-Length: ").append(entry.body().length).append("\r\n\r\n");
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        request.writeBytes(entry.body());
        return request.toByteArray();
    }

    private String told(String session) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, GOOD, "Test-Session: " + session + "\r\n"));
            return wire.answer().head().values("Mcp-Session-Id").get(0);
        }
    }

    private static void assertRefused(Entry entry, Entry.Refused refused, Wire.Answer answer) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(refused.status());
        assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
        JsonNode json = JSON.readTree(answer.body());
        assertThat(json.has("result")).isFalse();
        if (refused.code() == 0) {
            assertThat(json.path("error").isString()).isTrue();
            return;
        }
        assertThat(json.path("jsonrpc").asString()).isEqualTo("2.0");
        assertThat(json.path("error").path("code").asInt()).isEqualTo(refused.code());
        assertThat(json.path("error").path("message").asString()).isNotBlank();
        JsonNode id = json.path("id");
        if (!id.isNull() && !id.isMissingNode()) {
            assertThat(new String(entry.body(), StandardCharsets.UTF_8)).contains(":" + id);
        }
    }

    private static void assertWentUp(Entry entry, StubUpstream.Received received) {
        assertThat(received.body().getBytes(StandardCharsets.UTF_8)).isEqualTo(entry.body());
        assertThat(received.values("Content-Length")).containsExactly(String.valueOf(entry.body().length));
        assertThat(received.values("Content-Type")).containsExactly("application/json");
        assertThat(received.values("Content-Encoding")).isEmpty();
        boolean modern = ((Entry.Accepted) entry.answer()).era().equals("modern");
        assertThat(received.values("Mcp-Name"))
                .hasSize(modern ? entry.values("Mcp-Name").size() : 0);
        assertThat(received.values("Mcp-Method"))
                .hasSize(modern ? entry.values("Mcp-Method").size() : 0);
        assertThat(received.head()).noneMatch(line -> line.startsWith("Mcp_"));
    }

    private void assertServed() throws IOException {
        try (Wire next = weir.wire()) {
            next.send(post(K1, GOOD));
            assertThat(next.answer().body()).isEqualTo(PONG);
        }
    }

    /** Where it is in doubt where a request ends, it is refused, and nothing of it is taken for a request of its own. */
    @ParameterizedTest
    @MethodSource("smuggling")
    void theUpstreamSeesNothingButWhatWasJudged(RawRequest request) throws Exception {
        int before = upstream.received().size();
        String text = new String(request.bytes(), StandardCharsets.ISO_8859_1).replace("{key}", K1);
        try (Wire wire = weir.wire()) {
            wire.send(text.getBytes(StandardCharsets.ISO_8859_1));
            for (int status : request.statuses()) {
                Wire.Answer answer = wire.answer();
                assertThat(answer.status()).isEqualTo(status);
                assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
                assertThat(answer.body()).startsWith("{").endsWith("}");
            }
            assertThat(afterwards(wire)).isIn("closed", "usable");
        }
        assertThat(upstream.received().stream()
                        .skip(before)
                        .map(StubUpstream.Received::body)
                        .filter(body -> !body.equals(GOOD)))
                .containsExactlyElementsOf(request.up());
        assertServed();
    }

    /** Whether another request gets its own answer on the connection, or the connection is over. */
    private static String afterwards(Wire wire) {
        try {
            wire.send(post(K1, GOOD));
            Wire.Answer answer = wire.answer();
            if (answer.status() == 200 && answer.body().equals(PONG)) {
                return "usable";
            }
            if (answer.status() != 400) {
                return "answered by " + answer;
            }
            // One answer to what was not to be read, and then the end.
            return wire.isOver() ? "closed" : "left open after " + answer;
        } catch (IOException e) {
            return e instanceof java.net.SocketTimeoutException ? "left open" : "closed";
        }
    }
}
