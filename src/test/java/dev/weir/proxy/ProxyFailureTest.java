package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.upstream.Limits;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client is told in the upstream's place, as long as it has seen nothing of the answer yet. */
class ProxyFailureTest {

    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":98214,\"method\":\"tools/call\"}";
    private static final String NOTIFICATION = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}";
    private static final String RESPONSE = "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}";

    @Test
    void anUpstreamThatIsDownIsToldAtOnceAndTheConnectionStaysUsable() throws Exception {
        try (Front front = Front.to(nobody());
                Wire client = new Wire(front.port())) {
            for (int n = 0; n < 3; n++) {
                client.post(CALL);
                Wire.Answer answer = client.answer();
                assertThat(answer.status()).isEqualTo(502);
                assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
                assertThat(answer.head().values("X-Set-By-A-Filter")).containsExactly("yes");
                assertThat(answer.body())
                        .startsWith("{\"jsonrpc\":\"2.0\",\"id\":98214,\"error\":{\"code\":502,\"message\":\"")
                        .endsWith("\"data\":{\"error\":\"backend_unavailable\",\"requestId\":\"req-1\"}}}")
                        .doesNotContain("127.0.0.1", "Exception", "refused");
            }
            await().untilAsserted(() -> assertThat(front.outcomes())
                    .hasSize(3)
                    .allSatisfy(outcome -> assertThat(outcome).contains("ConnectException")));
            assertThat(front.underWay()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {NOTIFICATION, RESPONSE})
    void aMessageThatAwaitsNoAnswerGetsThePlainError(String message) throws Exception {
        try (Front front = Front.to(nobody());
                Wire client = new Wire(front.port())) {
            client.post(message);
            assertThat(client.answer().body()).isEqualTo("{\"error\":\"backend_unavailable\",\"requestId\":\"req-1\"}");
        }
    }

    /** Case O18 on routes of MCP, and others of its kind. */
    @ParameterizedTest
    @ValueSource(ints = {101, 301, 302, 304, 307, 401, 403})
    void aStatusThatSpeaksToTheGatewayBecomesA502(int status) throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> line.send("HTTP/1.1 " + status
                        + " X\r\nLocation: http://127.0.0.1:1/secret\r\nWWW-Authenticate: Bearer secret\r\n"
                        + (status == 304 || status == 101 ? "\r\n" : "Content-Length: 6\r\n\r\nsecret")));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.body())
                    .contains("\"code\":502", "\"backend_unavailable\"")
                    .doesNotContain("secret");
            assertThat(answer.head().lines()).noneMatch(header -> header.contains("secret"));
            assertThat(upstream.received()).hasSize(1);
            await().untilAsserted(() -> assertThat(front.outcomes())
                    .singleElement()
                    .satisfies(outcome -> assertThat(outcome)
                            .contains(status == 101 ? "without an answer" : String.valueOf(status))));
        }
    }

    /** Case O39, the second half: what may have run is never sent again. */
    @ParameterizedTest
    @CsvSource({
        "''",
        "'HTTP/1.1 2'",
        "'nonsense#'",
        "'HTTP/1.1 200 OK#Content-Length: x##'",
        "'HTTP/1.1 200 OK#Content-Length: 10##12345'"
    })
    void anUpstreamThatHangsUpBeforeAnythingWasShownIsA502AndNotCalledTwice(String sent) throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.send(sent.replace("#", "\r\n"));
                    line.hangUp();
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            assertThat(client.answer().status()).isEqualTo(502);
            assertThat(upstream.received()).hasSize(1);
            client.post(CALL);
            assertThat(client.answer().status()).isEqualTo(502);
            assertThat(upstream.received()).hasSize(2);
        }
    }

    @Test
    void anUpstreamThatHangsBeforeItsHeadIsA504AndIsLeft() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    if (line.isLeft()) {
                        left.countDown();
                    }
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            await().until(() -> upstream.received().size() == 1);
            front.sweepAfter(Front.FIRST_BYTE.minusSeconds(5));
            assertThat(front.underWay()).isEqualTo(1);
            front.sweepAfter(Duration.ofSeconds(6));
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(504);
            assertThat(answer.body()).contains("\"id\":98214", "\"code\":504", "\"backend_timeout\"");
            assertThat(left.await(10, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
            assertThat(front.underWay()).isZero();
        }
    }

    @Test
    void anUpstreamThatHangsInAShortAnswerIsA504() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
                    line.isLeft();
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            await().until(() -> upstream.received().size() == 1);
            // The head may still be on its way; once it is here, the longer limit counts.
            await().until(() -> {
                front.sweepAfter(Front.IDLE.plusSeconds(1));
                return front.underWay() == 0;
            });
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(504);
            assertThat(answer.head().values("Content-Length"))
                    .containsExactly(String.valueOf(answer.body().length()));
        }
    }

    @Test
    void callsThatFindTheQueueFullAreTurnedAway() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Limits one = new Limits(Duration.ofSeconds(3), Front.FIRST_BYTE, Front.IDLE, null, 1, 1, 0);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    release.await();
                    line.json(200, "{}");
                });
                Front front = Front.to(upstream.base(), one);
                Wire first = new Wire(front.port());
                Wire second = new Wire(front.port());
                Wire third = new Wire(front.port())) {
            first.post(CALL);
            await().until(() -> upstream.received().size() == 1);
            second.post(CALL);
            await().until(() -> front.underWay() == 2);
            third.post(CALL);
            Wire.Answer answer = third.answer();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.head().values("Retry-After")).containsExactly("1");
            assertThat(answer.body()).contains("\"code\":503", "\"backend_unavailable\"");
            release.countDown();
            assertThat(first.answer().status()).isEqualTo(200);
            assertThat(second.answer().status()).isEqualTo(200);
        }
    }

    @Test
    void aShutdownAnswersWhatWaitsAndWhatComesLater() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> line.isLeft());
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            await().until(() -> upstream.received().size() == 1);
            front.stopExchanges();
            assertThat(client.answer().status()).isEqualTo(503);
            client.post(CALL);
            assertThat(client.answer().status()).isEqualTo(503);
            assertThat(upstream.received()).hasSize(1);
            assertThat(front.underWay()).isZero();
        }
    }

    @Test
    void anAddressWithoutARouteIsA404() throws Exception {
        try (Front front = Front.to(nobody());
                Wire client = new Wire(front.port())) {
            client.send("POST /other HTTP/1.1\r\nHost: h\r\nContent-Length: " + CALL.length() + "\r\n\r\n" + CALL);
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.body()).contains("\"id\":98214", "\"code\":404", "\"route_not_found\"");
            client.request("GET", "/mcpx");
            assertThat(client.answer().body()).isEqualTo("{\"error\":\"route_not_found\",\"requestId\":\"req-1\"}");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"OPTIONS", "PUT", "PATCH", "PROPFIND", "HEAD"})
    void aMethodThatMcpDoesNotHaveIsA405(String method) throws Exception {
        try (Front front = Front.to(nobody());
                Wire client = new Wire(front.port())) {
            client.request(method, "/mcp");
            Wire.Head head = client.head();
            assertThat(head.status()).isEqualTo(405);
            assertThat(head.values("Allow")).containsExactly("GET, POST, DELETE");
            assertThat(head.values("Content-Type")).containsExactly("application/json");
            if (!method.equals("HEAD")) {
                assertThat(client.body(head)).contains("\"method_not_allowed\"");
            }
            client.request("GET", "/mcpx");
            assertThat(client.answer().status()).isEqualTo(404);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//evil/mcp",
                "/mcp//evil",
                "/mcp/../../admin",
                "/mcp/%2e%2e/admin",
                "/mcp/a%2Fb",
                "/mcp/x;y",
                "/%6dcp",
                "/mcp/%73pecial%5c",
                "/mcp@evil",
                "@evil/mcp",
                "/mcp/a?b|c^",
                "http://evil/mcpx"
            })
    void anAddressThatCouldLeadElsewhereReachesNobody(String target) throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> line.json(200, "{}"));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.request("GET", target);
            assertThat(client.head().status()).isBetween(400, 404);
            assertThat(upstream.received()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"http://evil/mcp/x, /mcp/x", "/mcp/http://evil, ''", "/mcp/@evil:80?u=//evil, /mcp/@evil:80?u=//evil"})
    void anAddressThatNamesAnotherHostStillGoesToTheRoutesOwn(String target, String received) throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> line.json(200, "{}"));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.send("GET " + target + " HTTP/1.1\r\nHost: evil\r\n\r\n");
            client.head();
            if (received.isEmpty()) {
                assertThat(upstream.received()).isEmpty();
            } else {
                assertThat(upstream.received().get(0).requestLine()).isEqualTo("GET " + received + " HTTP/1.1");
                assertThat(upstream.received().get(0).values("Host"))
                        .containsExactly(upstream.base().getAuthority());
            }
        }
    }

    /** An address where nobody listens. */
    private static URI nobody() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/mcp");
        }
    }
}
