package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** What passes through a whole Weir as the other side gave it, because clients and servers rely on it. */
@Timeout(60)
class TransparencyTest {

    private static final String GONE =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"Session not found\"}}";
    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

    @TempDir
    Path directory;

    private volatile StubUpstream.Behaviour behaviour = (request, line) -> line.json(200, PONG);
    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> behaviour.answer(request, line));
        weir = RunningWeir.start(directory, upstream.base(), "mcp.rate-limit.burst-size", "1000");
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    private static String bare(String method, String... headers) {
        return method + " /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1 + "\r\n"
                + String.join("", headers) + "\r\n";
    }

    /** Has the upstream open a session, and returns the id that the client is told. */
    private String open(String id) throws IOException {
        behaviour = (request, line) -> line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: "
                + id + "\r\nContent-Length: " + PONG.length() + "\r\n\r\n" + PONG);
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, PING));
            String told = wire.answer().head().values("Mcp-Session-Id").get(0);
            upstream.forget();
            return told;
        }
    }

    /** Case O15: of a session that was there only the upstream's own 404 makes a client open a new session. */
    @Test
    void aSessionThatIsGoneIsToldAsTheUpstreamTellsIt() throws Exception {
        String dead = "Mcp-Session-Id: " + open("dead") + "\r\n";
        behaviour = (request, line) -> line.json(404, GONE);
        List<String> requests =
                List.of(post(K1, PING, dead), bare("GET", dead, "Accept: text/event-stream\r\n"), bare("DELETE", dead));
        try (Wire wire = weir.wire()) {
            for (int round = 0; round < 50; round++) {
                for (String request : requests) {
                    wire.send(request);
                    Wire.Answer answer = wire.answer();
                    assertThat(answer.status()).isEqualTo(404);
                    assertThat(answer.body()).isEqualTo(GONE);
                }
            }
        }
        assertThat(upstream.received())
                .hasSize(150)
                .allSatisfy(
                        request -> assertThat(request.values("Mcp-Session-Id")).containsExactly("dead"));
        int throttles = weir.database()
                .withHandle(handle -> handle.createQuery("SELECT COUNT(*) FROM throttle_event")
                        .mapTo(Integer.class)
                        .one());
        assertThat(throttles).isZero();
    }

    /** How a client of both transports finds out which one there is. */
    @ParameterizedTest
    @ValueSource(ints = {400, 404, 405})
    void aServerThatKnowsOnlyTheOlderTransportSaysSoItself(int status) throws Exception {
        String page = "<pre>Cannot POST /sse</pre>";
        behaviour = (request, line) -> line.send("HTTP/1.1 " + status + " X\r\nContent-Type: text/html\r\n"
                + "Content-Length: " + page.length() + "\r\n\r\n" + page);
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}"));
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.body()).isEqualTo(page);
            assertThat(answer.head().values("Content-Type")).containsExactly("text/html");
        }
    }

    /** Case O16: what belongs to a call comes before its result, each event as soon as it is there. */
    @Test
    void theEventsOfACallPassInOrderAndAtOnce() throws Exception {
        LinkedBlockingQueue<String> script = new LinkedBlockingQueue<>();
        behaviour = (request, line) -> {
            line.head("text/event-stream");
            for (String event = script.take(); !event.isEmpty(); event = script.take()) {
                line.chunk(event);
            }
            line.send("0\r\n\r\n");
        };
        List<String> events = List.of(
                "id: 1\ndata:\n\n",
                "event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\r\n\r\n",
                ": é\n\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"notifications/progress\"}\n\n",
                "data: {\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"sampling/createMessage\"}\r\r",
                "event: endpoint\ndata: http://elsewhere.example/\n\n",
                "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, call(1, "T1")));
            assertThat(wire.head().status()).isEqualTo(200);
            List<Duration> took = new ArrayList<>();
            for (String event : events) {
                long start = System.nanoTime();
                script.add(event);
                assertThat(wire.text(event.length())).isEqualTo(event);
                took.add(Duration.ofNanos(System.nanoTime() - start));
            }
            script.add("");
            assertThat(wire.chunk()).isEmpty();
            // Of all of them some may be late on a busy machine.
            took.sort(null);
            assertThat(took.get(took.size() / 2)).isLessThan(Duration.ofMillis(100));
        }
    }

    /** Case O17. */
    @Test
    void aDeleteNeedsNoBodyAndIsNoCall() throws Exception {
        String session = open("s1");
        behaviour = (request, line) -> {
            if (request.requestLine().startsWith("DELETE")) {
                line.send("HTTP/1.1 204 No Content\r\n\r\n");
            } else {
                line.json(200, PONG);
            }
        };
        try (Wire wire = weir.wire()) {
            for (int n = 0; n < 7; n++) {
                wire.send(post(K1, call(1, "T1")));
                assertThat(wire.answer().body().contains("-32029")).isEqualTo(n >= 5);
            }
            wire.send(bare("DELETE", "Mcp-Session-Id: " + session + "\r\n"));
            assertThat(wire.answer().status()).isEqualTo(204);
        }
        StubUpstream.Received delete = upstream.received().get(5);
        assertThat(delete.requestLine()).isEqualTo("DELETE /mcp HTTP/1.1");
        assertThat(delete.values("Mcp-Session-Id")).containsExactly("s1");
        assertThat(delete.values("Content-Type")).isEmpty();
        assertThat(delete.body()).isEmpty();
    }

    /** Case O19. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Accept: */*\r\n",
                "Accept: application/json, text/event-stream\r\n",
                "Accept: application/json\r\nAccept: text/event-stream\r\n"
            })
    void whatTheClientAcceptsIsWhatTheUpstreamSees(String accept) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, PING).replace("Accept: application/json, text/event-stream\r\n", accept));
            assertThat(wire.answer().body()).isEqualTo(PONG);
        }
        List<String> seen = upstream.received().get(0).values("Accept");
        assertThat(seen.stream().map(value -> "Accept: " + value + "\r\n").reduce("", String::concat))
                .isEqualTo(accept);
    }

    /** Case O20: what an upstream says under 200 is between it and the client. */
    @ParameterizedTest
    @ValueSource(strings = {"text/html|<html>hello</html>", "application/json|{\"Output\":1}", "application/json|"})
    void anAnswerThatMakesNoSensePassesAsItIs(String answer) throws Exception {
        String type = answer.substring(0, answer.indexOf('|'));
        String body = answer.substring(answer.indexOf('|') + 1);
        behaviour = (request, line) -> line.send("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nContent-Length: "
                + body.length() + "\r\n\r\n" + body);
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, PING));
            Wire.Answer passed = wire.answer();
            assertThat(passed.status()).isEqualTo(200);
            assertThat(passed.head().values("Content-Type")).containsExactly(type);
            assertThat(passed.body()).isEqualTo(body);
        }
    }

    /** Case O20: a page that says that a server has failed is for people, and nobody of them is here. */
    @ParameterizedTest
    @ValueSource(ints = {500, 502, 503, 504})
    void aPageOfAServerThatHasFailedBecomesAJsonRpcError(int status) throws Exception {
        behaviour = (request, line) -> line.send("HTTP/1.1 " + status + " X\r\nContent-Type: text/html\r\n"
                + "Content-Length: 22\r\n\r\n<html>inner-17</html>\r\n");
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, PING));
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
            assertThat(answer.body()).doesNotContain("inner-17");
            assertThat(new JsonMapper().readTree(answer.body()).path("id").asInt())
                    .isEqualTo(1);
        }
    }

    /** Case O37: what is labelled as packed is not even looked at, whatever its bytes are, and goes nowhere. */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "gzip, gzip", "br", "deflate", "x-gzip", "identity, gzip"})
    void aPackedBodyIsUnsupported(String coding) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, call(1, "T1"), "Content-Encoding: " + coding + "\r\n"));
            assertThat(wire.answer().status()).isEqualTo(415);
        }
        assertThat(upstream.received()).isEmpty();
    }

    /** Case O41: no way of writing the path gets past who has to prove itself. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/mcp;x=1",
                "//mcp",
                "/mcp/",
                "/%6dcp",
                "/x/..;/admin",
                "/mcp/../admin",
                "/admin%2fpolicy",
                "/ADMIN",
                "/mcp%00",
                "/mcp/~sse/x",
                "/mcp/~sse/../x",
                "http://localhost/admin",
                "http://localhost/mcp"
            })
    void noSpellingOfAPathIsAWayIn(String path) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: " + PING.length() + "\r\n\r\n" + PING);
            assertThat(wire.answer().status()).isIn(400, 401, 404, 405);
        }
        assertThat(upstream.received()).isEmpty();
    }

    /** Case O41: whatever leads to the upstream is judged like the canonical path. */
    @ParameterizedTest
    @ValueSource(strings = {"/mcp/", "/mcp/T1", "/mcp?x=1", "http://localhost/mcp"})
    void everySpellingThatIsAWayInIsJudgedAlike(String path) throws Exception {
        try (Wire wire = weir.wire()) {
            for (int n = 0; n < 5; n++) {
                wire.send(post(K1, call(1, "T1")));
                assertThat(wire.answer().body()).isEqualTo(PONG);
            }
            wire.send(post(K1, call(1, "T1")).replace("POST /mcp", "POST " + path));
            assertThat(wire.answer().body()).contains("-32029");
        }
    }
}
