package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that come whole, byte for byte, and in time. */
class ProxyAnswerTest {

    private static final String CALL =
            "{\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\"method\":\"tools/call\",\"params\":{\"name\":\"Grüße\"}}";

    @Test
    void aJsonAnswerAndTheBodyThatAskedForItPassByteForByte() throws Exception {
        String json = "{\"jsonrpc\" : \"2.0\",\n \"id\":\"a-1\", \"result\":{\"é\":1.0e0}}";
        try (StubUpstream upstream = new StubUpstream((request, line) -> line.json(200, json));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo(json);
            assertThat(answer.head().isChunked()).isFalse();
            assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
            assertThat(upstream.received()).singleElement().satisfies(received -> {
                assertThat(received.requestLine()).isEqualTo("POST /mcp HTTP/1.1");
                assertThat(received.body()).isEqualTo(CALL);
            });
            await().untilAsserted(() -> assertThat(front.outcomes()).containsExactly("none"));
            assertThat(front.underWay()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 8191, 8192, 8193, 32768, 32769, 1_000_000, 5_000_000})
    void anAnswerOfAnyLengthIsWhole(int length) throws Exception {
        String body = "0123456789abcdef".repeat(length / 16 + 1).substring(0, length);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    if (request.requestLine().startsWith("POST")) {
                        line.json(200, body);
                    } else {
                        line.head("application/json");
                        if (length > 0) {
                            line.chunk(body);
                        }
                        line.send("0\r\n\r\n");
                    }
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            Wire.Answer known = client.answer();
            assertThat(known.head().values("Content-Length")).containsExactly(String.valueOf(length));
            assertThat(known.body()).isEqualTo(body);
            client.request("GET", "/mcp");
            assertThat(client.answer().body()).isEqualTo(body);
        }
    }

    @Test
    void eachEventArrivesWhileTheUpstreamHoldsTheNext() throws Exception {
        LinkedBlockingQueue<String> script = new LinkedBlockingQueue<>();
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    for (String event = script.take(); !event.isEmpty(); event = script.take()) {
                        line.chunk(event);
                    }
                    line.send("0\r\n\r\n");
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            for (int call = 0; call < 3; call++) {
                client.post(CALL, "Accept: application/json, text/event-stream\r\n");
                Wire.Head head = client.head();
                assertThat(head.values("Content-Type")).containsExactly("text/event-stream");
                for (int n = 0; n < 5; n++) {
                    String event = "id: " + n + "\ndata: {\"n\":" + n + "}\n\n";
                    script.add(event);
                    assertThat(client.text(event.length())).isEqualTo(event);
                }
                script.add("");
                assertThat(client.chunk()).isEmpty();
            }
            await().untilAsserted(() -> assertThat(front.outcomes()).containsExactly("none", "none", "none"));
            assertThat(upstream.connections()).isEqualTo(1);
        }
    }

    @Test
    void aStreamOpenedByGetLeavesTheConnectionForCallsAlone() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    if (request.requestLine().startsWith("GET")) {
                        line.head("text/event-stream");
                        line.chunk("event: message\ndata: 1\n\n");
                        line.isLeft();
                    } else {
                        line.json(200, "{}");
                    }
                });
                Front front = Front.to(upstream.base());
                Wire stream = new Wire(front.port());
                Wire client = new Wire(front.port())) {
            stream.request("GET", "/mcp", "Accept: text/event-stream\r\n", "Last-Event-ID: 7\r\n");
            assertThat(stream.head().status()).isEqualTo(200);
            assertThat(stream.textChunk()).isEqualTo("event: message\ndata: 1\n\n");
            client.post(CALL);
            assertThat(client.answer().body()).isEqualTo("{}");
            assertThat(upstream.received().get(0).values("Last-Event-ID")).containsExactly("7");
            assertThat(upstream.received().get(0).values("Content-Type")).isEmpty();
            assertThat(front.underWay()).isEqualTo(1);
        }
    }

    @Test
    void theVersionsHeaderPassesBothWaysAndSoDoesADelete() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) ->
                        line.send("HTTP/1.1 200 OK\r\nMcp-Protocol-Version: 2025-06-18\r\nContent-Length: 0\r\n\r\n"));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.request("DELETE", "/mcp/sub?x=1&y=%20", "Mcp-Protocol-Version: 2025-03-26\r\n");
            assertThat(client.answer().head().values("Mcp-Protocol-Version")).containsExactly("2025-06-18");
            StubUpstream.Received received = upstream.received().get(0);
            assertThat(received.requestLine()).isEqualTo("DELETE /mcp/sub?x=1&y=%20 HTTP/1.1");
            assertThat(received.values("Mcp-Protocol-Version")).containsExactly("2025-03-26");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {202, 400, 404, 405, 429, 500, 503})
    void aStatusThatSpeaksToTheClientPassesWithItsBody(int status) throws Exception {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\"error\":{\"code\":-32603,\"message\":\"m\"}}";
        try (StubUpstream upstream = new StubUpstream((request, line) -> line.json(status, body));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.body()).isEqualTo(body);
        }
    }

    @Test
    void interimAnswersOfTheUpstreamAreSkipped() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n");
                    line.json(200, "{\"n\":1}");
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            for (int call = 0; call < 2; call++) {
                client.post(CALL);
                Wire.Answer answer = client.answer();
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.body()).isEqualTo("{\"n\":1}");
            }
        }
    }

    @Test
    void aThousandCallsOnEachOfFourConnectionsGetTheirOwnAnswers() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> line.json(200, request.body()));
                Front front = Front.to(upstream.base())) {
            Set<String> wrong = ConcurrentHashMap.newKeySet();
            Thread[] clients = new Thread[4];
            for (int c = 0; c < clients.length; c++) {
                String name = "c" + c;
                clients[c] = new Thread(() -> callOften(front.port(), name, wrong));
                clients[c].start();
            }
            for (Thread thread : clients) {
                thread.join(TimeUnit.MINUTES.toMillis(1));
            }
            assertThat(wrong).isEmpty();
            assertThat(upstream.received()).hasSize(4_000);
            assertThat(upstream.connections()).isLessThanOrEqualTo(8);
            await().untilAsserted(() -> assertThat(front.underWay()).isZero());
        }
    }

    private static void callOften(int port, String name, Set<String> wrong) {
        try (Wire client = new Wire(port)) {
            for (int n = 0; n < 1_000; n++) {
                String call = CALL.replace("a-1", name + "-" + n);
                client.post(call);
                String answer = client.answer().body();
                if (!answer.equals(call)) {
                    wrong.add(call + " got " + answer);
                }
            }
        } catch (Exception e) {
            wrong.add(name + " failed: " + e);
        }
    }
}
