package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.web.RequestLog;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** HTTP+SSE through a whole Weir: what a refused client is told, and on which stream. */
@Timeout(60)
class LegacyTransportTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String ENDPOINT = "event: endpoint\ndata: /messages?sessionId=abc\n\n";

    @TempDir
    Path directory;

    private final LinkedBlockingQueue<String> script = new LinkedBlockingQueue<>();
    private final StubUpstream upstream = legacyServer();
    private @Nullable RunningWeir weir;

    LegacyTransportTest() throws IOException {}

    private StubUpstream legacyServer() throws IOException {
        return new StubUpstream((request, line) -> {
            if (!request.requestLine().startsWith("GET")) {
                line.send("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
                return;
            }
            line.head("text/event-stream");
            line.chunk(ENDPOINT);
            for (String event = script.take(); !event.isEmpty(); event = script.take()) {
                line.chunk(event);
            }
            line.send("0\r\n\r\n");
        });
    }

    private void start(String... edits) throws Exception {
        weir = RunningWeir.startWith(List.of(edits), directory, upstream.base());
    }

    private Wire wire() throws IOException {
        return Objects.requireNonNull(weir).wire();
    }

    @AfterEach
    void stop() throws IOException {
        // Ends the stream, because a server that stops waits for it.
        script.add("");
        if (weir != null) {
            weir.close();
        }
        upstream.close();
    }

    /** Opens a stream and returns the address of its messages. */
    private static String open(Wire stream, String key) throws IOException {
        stream.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key
                + "\r\nAccept: text/event-stream\r\n\r\n");
        assertThat(stream.head().status()).isEqualTo(200);
        String event = stream.textChunk();
        assertThat(event).startsWith("event: endpoint\ndata: /mcp/~sse/").endsWith("/messages?sessionId=abc\n\n");
        return event.substring("event: endpoint\ndata: ".length(), event.length() - 2);
    }

    private static Wire.Answer send(Wire wire, String key, String address, String body) throws IOException {
        wire.send(post(key, body).replaceFirst("/mcp", address));
        return wire.answer();
    }

    /** Uses up the five tokens of T1 at an address. */
    private static void drain(Wire wire, String key, String address) throws IOException {
        for (int i = 0; i < 5; i++) {
            assertThat(send(wire, key, address, call(i, "T1")).status()).isEqualTo(202);
        }
    }

    private static JsonNode message(Wire stream) throws IOException {
        String event = stream.textChunk();
        assertThat(event).startsWith("event: message\ndata: {").endsWith("}\n\n");
        return JSON.readTree(event.substring("event: message\ndata: ".length()));
    }

    @Test
    void aRefusedCallIsAcceptedAndRefusedOnTheCallersStreamUntilItIsBanned() throws Exception {
        start();
        try (Wire stream = wire();
                Wire wire = wire()) {
            String address = open(stream, K1);
            drain(wire, K1, address);
            for (int strike = 1; strike <= 6; strike++) {
                Wire.Answer answer = send(wire, K1, address, call("\"req-" + strike + "\"", "T1"));
                assertThat(answer.status()).isEqualTo(202);
                assertThat(answer.body()).isEmpty();
                assertThat(answer.head().values("Retry-After")).hasSize(1);
                JsonNode refusal = message(stream);
                assertThat(refusal.path("id").asString()).isEqualTo("req-" + strike);
                assertThat(refusal.at("/error/code").asInt()).isEqualTo(strike < 6 ? -32029 : -32030);
            }
            script.add("data: {\"from\":\"upstream\"}\n\n");
            assertThat(stream.textChunk()).isEqualTo("data: {\"from\":\"upstream\"}\n\n");
            assertThat(upstream.received()).hasSize(6);
        }
    }

    @Test
    void aToolThatIsForbiddenIsRefusedThereToo() throws Exception {
        start("INSERT INTO client_tool (client, route, tool, allowed) VALUES ('c1', '/mcp', 'T1', FALSE)");
        try (Wire stream = wire();
                Wire wire = wire()) {
            String address = open(stream, K1);
            assertThat(send(wire, K1, address, call(7, "T1")).status()).isEqualTo(202);
            JsonNode refusal = message(stream);
            assertThat(refusal.path("id").asInt()).isEqualTo(7);
            assertThat(refusal.at("/error/code").asInt()).isEqualTo(-32031);
        }
    }

    @Test
    void aToolsResultIsToldThereWhereThatIsTheForm() throws Exception {
        start("INSERT INTO setting (name, content) VALUES ('refusal_form', 'tool_result')");
        try (Wire stream = wire();
                Wire wire = wire()) {
            String address = open(stream, K1);
            drain(wire, K1, address);
            assertThat(send(wire, K1, address, call(7, "T1")).status()).isEqualTo(202);
            JsonNode refusal = message(stream);
            assertThat(refusal.at("/result/isError").asBoolean()).isTrue();
            assertThat(refusal.at("/result/content/0/text").asString()).contains("Cooling down for 30s");
        }
    }

    @Test
    void aNotificationThatIsRefusedIsAcceptedAndNothingElse() throws Exception {
        start();
        try (Wire stream = wire();
                Wire wire = wire()) {
            String address = open(stream, K1);
            drain(wire, K1, address);
            String notification = call(1, "T1").replace("\"id\":1,", "");
            assertThat(send(wire, K1, address, notification).status()).isEqualTo(202);
            script.add("data: next\n\n");
            assertThat(stream.textChunk()).isEqualTo("data: next\n\n");
            assertThat(upstream.received()).hasSize(6);
        }
    }

    @Test
    void nobodyWritesOnAnotherClientsStreamOrSendsInItsName() throws Exception {
        start();
        try (Wire stream = wire();
                Wire wire = wire()) {
            String address = open(stream, K1);
            assertThat(send(wire, K2, address, call(1, "T1")).status()).isEqualTo(404);
            for (int n = 0; n < 4; n++) {
                assertThat(send(wire, K2, "/mcp", call(1, "T1")).status()).isEqualTo(202);
            }
            Wire.Answer answer = send(wire, K2, address, call(7, "T1"));
            assertThat(answer.status()).isEqualTo(429);
            assertThat(JSON.readTree(answer.body()).at("/error/code").asInt()).isEqualTo(-32029);
            script.add("data: next\n\n");
            assertThat(stream.textChunk()).isEqualTo("data: next\n\n");
            assertThat(upstream.received())
                    .extracting(StubUpstream.Received::requestLine)
                    .noneMatch(line -> line.contains("/messages"));
        }
    }

    @Test
    void whereTheStreamHasEndedTheCallFailsAtOnceAndDoesNotHang() throws Exception {
        start();
        try (Wire stream = wire();
                Wire wire = wire()) {
            String address = open(stream, K1);
            drain(wire, K1, address);
            script.add("");
            assertThat(stream.chunk()).isEmpty();
            await().untilAsserted(() -> {
                Wire.Answer answer = send(wire, K1, address, call(7, "T1"));
                assertThat(answer.status()).isEqualTo(429);
                assertThat(JSON.readTree(answer.body()).path("id").asInt()).isEqualTo(7);
                assertThat(JSON.readTree(answer.body()).at("/error/message").asString())
                        .contains("Cooling down");
            });
        }
    }

    @Test
    void aCallWithoutACredentialIsA401AtItsAddress() throws Exception {
        start();
        try (Wire stream = wire();
                Wire wire = wire()) {
            String address = open(stream, K1);
            assertThat(send(wire, "wrong", address, call(7, "T1")).status()).isEqualTo(401);
        }
    }

    @Test
    void anEndpointOfAnotherOriginIsCutOffAndSaysSoInTheLog() throws Exception {
        try (StubUpstream elsewhere = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    line.chunk("event: endpoint\ndata: http://169.254.169.254/messages?sessionId=secret\n\n");
                    line.isLeft();
                });
                LogLines log = new LogLines(RequestLog.class);
                RunningWeir other = RunningWeir.start(directory, elsewhere.base());
                Wire stream = other.wire()) {
            stream.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1
                    + "\r\nAccept: text/event-stream\r\n\r\n");
            assertThat(stream.head().status()).isEqualTo(200);
            assertThatThrownBy(stream::chunk).isInstanceOf(IOException.class);
            await().untilAsserted(() -> assertThat(log.of("request_error"))
                    .singleElement()
                    .satisfies(line -> assertThat(LogLines.field(line, "failure"))
                            .contains("an endpoint of another origin: http://169.254.169.254:80 is not")
                            .doesNotContain("secret")));
        }
    }
}
