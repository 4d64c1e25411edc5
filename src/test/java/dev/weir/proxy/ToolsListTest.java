package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Lists of tools on real sockets: a client from whom some are hidden does not see them, however the list comes. */
@Timeout(60)
class ToolsListTest {

    private static final String ASK = "{\"jsonrpc\":\"2.0\",\"id\":\"l-1\",\"method\":\"tools/list\"}";
    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":\"l-1\",\"method\":\"tools/call\"}";
    private static final String HIDDEN = "Test-Hidden: h,h2\r\n";
    private static final String ALL =
            "{\"jsonrpc\":\"2.0\",\"id\":\"l-1\", \"result\":{\"tools\":[{\"name\":\"h\"}, {\"name\":\"v\"}, {\"name\":\"h2\"}]}}";
    private static final String LEFT =
            "{\"jsonrpc\":\"2.0\",\"id\":\"l-1\", \"result\":{\"tools\":[{\"name\":\"v\"}]}}";
    private static final String NOTE = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n";

    private final LinkedBlockingQueue<String> script = new LinkedBlockingQueue<>();
    private volatile StubUpstream.Behaviour behaviour = (request, line) -> line.json(200, ALL);
    private StubUpstream upstream;
    private Front front;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> behaviour.answer(request, line));
        front = Front.to(upstream.base());
    }

    @AfterEach
    void stop() throws IOException {
        script.add("");
        front.close();
        upstream.close();
    }

    /** A stream of the events in the script; an empty one ends it. */
    private void stream(StubUpstream.Line line) throws Exception {
        line.head("text/event-stream");
        for (String event = script.take(); !event.isEmpty(); event = script.take()) {
            line.chunk(event);
        }
        line.send("0\r\n\r\n");
    }

    private Wire.Answer ask(String body, String... headers) throws IOException {
        try (Wire wire = new Wire(front.port())) {
            wire.post(body, headers);
            return wire.answer();
        }
    }

    private static StubUpstream.Behaviour saying(int status, String type, String body, String... headers) {
        return (request, line) -> line.send("HTTP/1.1 " + status + " X\r\n" + (type.isEmpty() ? "" : "Content-Type: ")
                + type + (type.isEmpty() ? "" : "\r\n") + String.join("", headers) + "Content-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body);
    }

    /** What was left for the log, which is there a moment after the answer. */
    private void assertOutcome(String words) {
        await().untilAsserted(() -> assertThat(front.outcomes())
                .isNotEmpty()
                .allSatisfy(outcome -> assertThat(outcome).contains(words)));
    }

    @Test
    void aDocumentComesWithoutThemAndWithItsOwnLength() throws Exception {
        behaviour = saying(
                200,
                "application/json; charset=utf-8",
                ALL,
                "ETag: \"e\"\r\nContent-Digest: sha-256=:x:\r\nX-Kept: yes\r\nMcp-Session-Id: s-1\r\n");
        try (Wire wire = new Wire(front.port())) {
            wire.post(ASK, HIDDEN, "Accept-Encoding: gzip\r\n");
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo(LEFT);
            assertThat(answer.head().values("Content-Type")).containsExactly("application/json;charset=utf-8");
            assertThat(answer.head().values("X-Kept")).containsExactly("yes");
            assertThat(answer.head().values("ETag")).isEmpty();
            assertThat(answer.head().values("Content-Digest")).isEmpty();
            assertThat(answer.head().values("Mcp-Session-Id")).hasSize(1);
            wire.post(ASK, HIDDEN);
            assertThat(wire.answer().body()).as("on the same connection").isEqualTo(LEFT);
        }
        assertThat(upstream.received().get(0).values("Accept-Encoding")).containsExactly("identity");
        assertOutcome("none");
    }

    @Test
    void aListInABatchOfAnswersToo() throws Exception {
        String other = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}";
        behaviour = saying(200, "application/json", "[" + other + ",\n" + ALL + "]");
        assertThat(ask("[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}," + ASK + "]", HIDDEN)
                        .body())
                .isEqualTo("[" + other + ",\n" + LEFT + "]");
    }

    /** From whom nothing is hidden, and who asks for something else: the bytes pass, and pass at once. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingElseIsHeldBackOrTouched(boolean list) throws Exception {
        // More than any buffer on the way takes.
        String start = " ".repeat(200_000);
        behaviour = (request, line) -> {
            line.head("application/json");
            line.chunk(start);
            line.chunk(script.take());
            line.send("0\r\n\r\n");
        };
        try (Wire wire = new Wire(front.port())) {
            if (list) {
                wire.post(ASK, "Accept-Encoding: gzip\r\n");
            } else {
                wire.post(CALL, "Accept-Encoding: gzip\r\n", HIDDEN);
            }
            Wire.Head head = wire.head();
            String first = wire.textChunk();
            assertThat(first).isNotEmpty().isBlank();
            script.add(ALL);
            assertThat(first + wire.body(head)).isEqualTo(start + ALL);
        }
        assertThat(upstream.received().get(0).values("Accept-Encoding")).containsExactly("gzip");
    }

    @Test
    void aStreamedAnswerComesEventByEventWithoutThem() throws Exception {
        behaviour = (request, line) -> stream(line);
        try (Wire wire = new Wire(front.port())) {
            wire.post(ASK, HIDDEN);
            script.add(NOTE);
            Wire.Head head = wire.head();
            assertThat(head.values("Content-Type")).containsExactly("text/event-stream");
            assertThat(wire.text(NOTE.length())).isEqualTo(NOTE);
            script.add("id: 5\ndata: " + ALL.substring(0, 50));
            script.add(ALL.substring(50) + "\n\n");
            script.add(NOTE + "data: {\"half");
            script.add("");
            assertThat(wire.body(head)).isEqualTo("id: 5\ndata: " + LEFT + "\n\n" + NOTE);
        }
    }

    /** A resumed stream, and the stream of HTTP+SSE, whose beginning names the address of messages. */
    @Test
    void aStreamThatAGetHasOpenedComesWithoutThemToo() throws Exception {
        behaviour = (request, line) -> stream(line);
        try (Wire wire = new Wire(front.port())) {
            wire.request("GET", "/mcp", "Accept: text/event-stream\r\n", "Last-Event-ID: 4\r\n", HIDDEN);
            script.add("event: endpoint\ndata: /messages?sessionId=abc\n\n");
            Wire.Head head = wire.head();
            assertThat(wire.textChunk()).startsWith("event: endpoint\ndata: /mcp/~sse/");
            String event = "event: message\r\ndata: " + ALL + "\r\n\r\n";
            script.add(event);
            script.add(NOTE);
            script.add("");
            assertThat(wire.body(head)).isEqualTo(event.replace(ALL, LEFT) + NOTE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "text/event-stream"})
    void aLateAnswerOnAPromisedStreamComesWithoutThem(String type) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        behaviour = (request, line) -> {
            asked.countDown();
            String body = script.take();
            saying(200, type, body).answer(request, line);
        };
        try (Wire wire = new Wire(front.port())) {
            wire.post(ASK, HIDDEN, "Test-Modern: yes\r\nAccept: application/json, text/event-stream\r\n");
            assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
            front.sweepAfter(Front.COMMENT_AFTER.plusSeconds(1));
            Wire.Head head = wire.head();
            String event = "event: message\ndata: " + ALL + "\n\n";
            script.add(type.equals("application/json") ? ALL : event);
            assertThat(wire.body(head)).isEqualTo(event.replace(ALL, LEFT));
        }
    }

    @Test
    void aLateAnswerThatCannotBeReadIsAnErrorOnThePromisedStream() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        behaviour = (request, line) -> {
            asked.countDown();
            String body = script.take();
            line.json(200, body);
        };
        try (Wire wire = new Wire(front.port())) {
            wire.post(ASK, HIDDEN, "Test-Modern: yes\r\nAccept: application/json, text/event-stream\r\n");
            assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
            front.sweepAfter(Front.COMMENT_AFTER.plusSeconds(1));
            Wire.Head head = wire.head();
            script.add(ALL.substring(1));
            assertThat(wire.body(head))
                    .startsWith("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"l-1\",\"error\":{\"code\":502");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | application/json | {\"result\":{\"tools\":[{\"name\":\"v\"}",
                "200 | application/json | {\"result\":{}} {\"result\":{\"tools\":[{\"name\":\"h\"}]}}",
                "200 | text/html | <p>v</p>",
                "200 | | tools",
                "500 | application/json | {",
            })
    void whatCannotBeReadIsABrokenAnswer(int status, String type, String body) throws Exception {
        behaviour = saying(status, type == null ? "" : type, body);
        Wire.Answer answer = ask(ASK, HIDDEN);
        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.body()).contains("\"id\":\"l-1\"", "backend_unavailable");
        assertOutcome("no JSON");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "404 | text/html | <pre>Cannot POST</pre>",
                "400 | application/json | {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"m\"}}",
                "202 | text/plain | Accepted"
            })
    void whatListsNothingPasses(int status, String type, String body) throws Exception {
        behaviour = saying(status, type, body);
        Wire.Answer answer = ask(ASK, HIDDEN);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.body()).isEqualTo(body);
        assertThat(answer.head().values("Content-Type")).containsExactly(type);
    }

    @Test
    void anAnswerWithoutABodyPasses() throws Exception {
        behaviour = (request, line) -> line.send("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
        assertThat(ask(ASK, HIDDEN).status()).isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "text/event-stream"})
    void anEncodedAnswerIsABrokenOne(String type) throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(ALL.getBytes(StandardCharsets.UTF_8));
        }
        behaviour = (request, line) -> {
            line.send("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nContent-Encoding: gzip\r\nContent-Length: "
                    + packed.size() + "\r\n\r\n");
            line.send(packed.toByteArray());
        };
        assertThat(ask(ASK, HIDDEN).status()).isEqualTo(502);
        assertOutcome("encoded");
    }

    @Test
    void anEventThatCannotBeReadBreaksTheStreamOff() throws Exception {
        behaviour = (request, line) -> stream(line);
        try (Wire wire = new Wire(front.port())) {
            wire.post(ASK, HIDDEN);
            script.add(NOTE);
            Wire.Head head = wire.head();
            assertThat(wire.text(NOTE.length())).isEqualTo(NOTE);
            script.add("data: " + ALL.substring(1) + "\n\n");
            assertThatThrownBy(() -> wire.body(head)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aLongListComesWholeToASlowReader() throws Exception {
        StringBuilder tools = new StringBuilder();
        for (int i = 0; tools.length() < 2_500_000; i++) {
            tools.append(",{\"name\":\"v")
                    .append(i)
                    .append("\",\"description\":\"")
                    .append("\u00e9".repeat(500))
                    .append("\"}");
        }
        String left = "{\"result\":{\"tools\":[" + tools.substring(1) + "]}}";
        behaviour = saying(
                200, "application/json", left.replace("[", "[{\"name\":\"h\"},").replace("]", ",7]"));
        try (Wire wire = new Wire(front.port(), 8 * 1024)) {
            wire.post(ASK, HIDDEN);
            Wire.Head head = wire.head();
            assertThat(head.values("Content-Length"))
                    .containsExactly(String.valueOf(left.getBytes(StandardCharsets.UTF_8).length));
            assertThat(wire.body(head).equals(left)).isTrue();
        }
    }

    @Test
    void aListWithoutEndIsNotWaitedFor() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        String piece = "[\"" + "x".repeat(1_000_000) + "\"],";
        behaviour = (request, line) -> {
            line.head("application/json");
            line.chunk("{\"result\":{\"tools\":[");
            try {
                while (true) {
                    line.chunk(piece);
                }
            } catch (IOException e) {
                left.countDown();
            }
        };
        Wire.Answer answer = ask(ASK, HIDDEN);
        assertThat(answer.status()).isEqualTo(502);
        assertThat(new JsonMapper().readTree(answer.body()).path("id").asString())
                .isEqualTo("l-1");
        assertThat(left.await(20, TimeUnit.SECONDS)).as("the call was given up").isTrue();
        assertOutcome("longer than");
    }

    @Test
    void anUpstreamThatBreaksOffInAListIsToldAsThat() throws Exception {
        behaviour = (request, line) -> {
            line.head("application/json");
            line.chunk(ALL.substring(0, 60));
            line.hangUp();
        };
        assertThat(ask(ASK, HIDDEN).status()).isEqualTo(502);
    }
}
