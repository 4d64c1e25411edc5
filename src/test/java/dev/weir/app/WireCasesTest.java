package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP at the level of bytes, on a route of MCP and on one of kind http, where both have to do the same. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WireCasesTest {

    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    private static final StubUpstream.Behaviour ANSWERS = (request, line) -> line.json(200, PONG);
    private static final StubUpstream.Behaviour EVENTS = (request, line) -> {
        line.head("text/event-stream");
        line.chunk("data: 1\n\n");
    };

    private static final String TELLTALE = """
            HTTP/1.1 200 OK
            Connection: keep-alive, X-Named, X-Request-ID
            X-Named: secret
            Keep-Alive: timeout=secret
            Proxy-Authenticate: secret
            Upgrade: secret
            Trailer: secret
            Server: secret
            X-Request-ID: secret
            RateLimit: secret
            X-Kept: yes
            Content-Length: 2

            ok""";

    private volatile StubUpstream.Behaviour behaviour = ANSWERS;
    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        upstream = new StubUpstream((request, line) -> behaviour.answer(request, line));
        weir = RunningWeir.startWith(
                List.of(
                        "INSERT INTO route (prefix, kind, upstream_url) VALUES ('/api', 'http', '" + upstream.base()
                                + "')",
                        "INSERT INTO route (prefix, kind, upstream_url, rate_per_second, burst) VALUES ('/none', 'http', '"
                                + upstream.base() + "', 0.001, 1)"),
                directory,
                upstream.base(),
                "mcp.rate-limit.burst-size",
                "1000");
        try (Wire wire = weir.wire()) {
            wire.send(head("GET", "/none"));
            assertThat(wire.answer().status()).isEqualTo(200);
        }
    }

    @BeforeEach
    void begin() {
        behaviour = ANSWERS;
        upstream.forget();
    }

    @AfterAll
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    private static String head(String method, String path, String... headers) {
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1
                + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                + String.join("", headers) + "\r\n";
    }

    private static String ping(String path, String... headers) {
        return head("POST", path, String.join("", headers) + "Content-Length: " + PING.length() + "\r\n") + PING;
    }

    /** Case O26: no framing of a later HTTP reaches a client of HTTP/1.0, and events still come at once. */
    @ParameterizedTest
    @ValueSource(strings = {"/mcp", "/api"})
    void aClientOfHttp10GetsItsAnswerWithALengthOrUntilTheEnd(String path) throws Exception {
        String request = ping(path).replace("HTTP/1.1", "HTTP/1.0");
        try (Wire wire = weir.wire()) {
            wire.send(request);
            Wire.Head head = wire.head();
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.values("Transfer-Encoding")).isEmpty();
            assertThat(wire.untilClosed()).isEqualTo(PONG);
        }
        CountDownLatch seen = new CountDownLatch(1);
        behaviour = (received, line) -> {
            EVENTS.answer(received, line);
            seen.await();
            line.chunk("data: 2\n\n");
            line.chunk("");
        };
        try (Wire wire = weir.wire()) {
            wire.send(request);
            Wire.Head head = wire.head();
            assertThat(head.values("Transfer-Encoding")).isEmpty();
            assertThat(wire.bytes(9)).asString(StandardCharsets.UTF_8).isEqualTo("data: 1\n\n");
            seen.countDown();
            assertThat(wire.untilClosed()).isEqualTo("data: 2\n\n");
        }
        try (Wire wire = weir.wire()) {
            wire.send(request.replace(K1, "nobody"));
            Wire.Head head = wire.head();
            assertThat(head.status()).isEqualTo(401);
            assertThat(head.values("Transfer-Encoding")).isEmpty();
            assertThat(wire.untilClosed()).startsWith("{").endsWith("}");
        }
    }

    /** Case O31: a refusal reaches a client that sends fifty megabytes without looking up. */
    @ParameterizedTest
    @CsvSource({"/mcp, 413", "/none, 429"})
    void aRefusalReachesAClientThatSendsOn(String path, int status) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(head("POST", path, "Content-Length: 50000000\r\n"));
            byte[] piece = new byte[100_000];
            for (int n = 0; n < 500; n++) {
                wire.send(piece);
            }
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.body()).startsWith("{").endsWith("}");
        }
        assertThat(upstream.received()).isEmpty();
    }

    /** Case O34: of two framings none is believed, and no second request comes out of one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 6\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: 6",
                "Content-Length: 6\r\nTransfer-Encoding: chunked\t",
                "Content-Length: 6\r\nTransfer-Encoding: xchunked",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: chunked, identity",
                "Content-Length: 6\r\nTransfer-Encoding : chunked",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "Content-Length: 6\r\nContent-Length: 7",
                "Content-Length: +5",
                "Content-Length: 5, 6",
                "Content-Length: -1",
                "Content-Length: 0x5"
            })
    void aBodyThatIsFramedInTwoWaysIsNone(String framing) throws Exception {
        for (String path : List.of("/mcp", "/api")) {
            try (Wire wire = weir.wire()) {
                wire.send(head("POST", path, framing + "\r\n") + "0\r\n\r\n" + head("GET", "/api/smuggled"));
                Wire.Answer answer = wire.answer();
                assertThat(answer.status()).isIn(400, 501);
                assertThat(wire.isOver())
                        .as("nothing after it is taken for a request")
                        .isTrue();
            }
        }
        assertThat(upstream.received()).isEmpty();
    }

    /** Case O34: what is passed on is framed anew, once. */
    @ParameterizedTest
    @ValueSource(strings = {"/mcp", "/api"})
    void aBodyInOddButValidChunksIsOneRequest(String path) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(head("POST", path, "Transfer-Encoding: CHUNKED\r\n")
                    + Integer.toHexString(PING.length()).toUpperCase(java.util.Locale.ROOT) + ";ext=\"0\"\r\n" + PING
                    + "\r\n000\r\nX-Trailer: 1\r\n\r\n" + ping(path));
            assertThat(wire.answer().body()).isEqualTo(PONG);
            assertThat(wire.answer().body()).isEqualTo(PONG);
        }
        assertThat(upstream.received()).hasSize(2).allSatisfy(received -> {
            assertThat(received.body()).isEqualTo(PING);
            assertThat(received.values("X-Trailer")).isEmpty();
            assertThat(received.values("Transfer-Encoding").size()
                            + received.values("Content-Length").size())
                    .isEqualTo(1);
        });
    }

    /** Case O35 on routes of kind http; ProxyHeadersTest has it for those of MCP. */
    @Test
    void whatBelongsToOneConnectionStopsHereBothWays() throws Exception {
        behaviour = (request, line) -> line.send(TELLTALE.replace("\n", "\r\n"));
        try (Wire wire = weir.wire()) {
            wire.send(head(
                    "GET",
                    "/api",
                    "Connection: Upgrade, X-Named, X-Forwarded-For, X-Request-Id, Mcp-Session-Id\r\nX-Named: secret\r\n",
                    "Mcp-Session-Id: secret\r\nKeep-Alive: secret\r\nTE: trailers\r\nUpgrade: h2c\r\n",
                    "HTTP2-Settings: secret\r\nProxy-Authorization: Basic secret\r\nTrailer: secret\r\n",
                    "X-Forwarded-For: secret\r\nX-Real-IP: secret\r\nForwarded: for=secret\r\nX-API-Key: " + K1
                            + "\r\n",
                    "X-Kept: yes\r\n"));
            Wire.Answer answer = wire.answer();
            assertThat(answer.body()).isEqualTo("ok");
            assertThat(answer.head().lines()).noneMatch(line -> line.contains("secret"));
            assertThat(answer.head().values("X-Kept")).containsExactly("yes");
        }
        StubUpstream.Received received = upstream.received().get(0);
        assertThat(received.head()).noneMatch(line -> line.contains("secret") || line.contains(K1));
        assertThat(received.values("Upgrade")).isEmpty();
        assertThat(received.values("TE")).isEmpty();
        assertThat(received.values("X-Forwarded-For")).containsExactly("127.0.0.1");
        assertThat(received.values("X-Request-ID")).hasSize(1);
        assertThat(received.values("X-Kept")).containsExactly("yes");
    }

    /** Case O36 where the body is wanted; BadInputTest has it for routes of MCP. */
    @Test
    void aClientThatWantsToBeAskedIsAskedOnce() throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(head("POST", "/api", "Expect: 100-continue\r\nContent-Length: 5\r\n"));
            assertThat(wire.head().status()).isEqualTo(100);
            wire.send("hello");
            assertThat(wire.answer().status()).isEqualTo(200);
        }
        assertThat(upstream.received().get(0).values("Expect")).isEmpty();
        assertThat(upstream.received().get(0).body()).isEqualTo("hello");
    }

    /** Case O36 where a refusal is certain from the head. */
    @ParameterizedTest
    @CsvSource({"/mcp, nobody, 401", "/api, nobody, 401", "/none, '', 429"})
    void aClientThatIsRefusedIsNotAskedForItsBody(String path, String key, int status) throws Exception {
        try (Wire wire = weir.wire()) {
            String request = head("POST", path, "Expect: 100-continue\r\nContent-Length: 500\r\n");
            wire.send(key.isEmpty() ? request : request.replace(K1, key));
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(status);
            assertThat(wire.isOver()).isTrue();
        }
    }

    /** Case O38: bytes, coding, length and tag pass as they are, whatever the client has asked for. */
    @ParameterizedTest
    @CsvSource({"/mcp, gzip", "/mcp, identity", "/api, gzip", "/api, identity"})
    void aPackedAnswerIsPassedAsItIs(String path, String accepted) throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(PONG.getBytes(StandardCharsets.UTF_8));
        }
        behaviour = (request, line) -> {
            line.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nETag: \"strong\"\r\n"
                            + "Content-Length: " + packed.size() + "\r\n\r\n");
            line.send(packed.toByteArray());
        };
        try (Wire wire = weir.wire()) {
            wire.send(ping(path, "Accept-Encoding: " + accepted + "\r\n"));
            Wire.Head head = wire.head();
            assertThat(head.values("Content-Encoding")).containsExactly("gzip");
            assertThat(head.values("ETag")).containsExactly("\"strong\"");
            assertThat(head.values("Content-Length")).containsExactly(String.valueOf(packed.size()));
            assertThat(wire.bytes(packed.size())).isEqualTo(packed.toByteArray());
        }
        assertThat(upstream.received().get(0).values("Accept-Encoding")).containsExactly(accepted);
    }

    /** Case O39: a server that closes a connection it has not used for a while costs no call. */
    @ParameterizedTest
    @ValueSource(strings = {"/mcp", "/api"})
    void callsAfterAPauseInWhichTheUpstreamHungUpAreServed(String path) throws Exception {
        List<Boolean> left = new java.util.concurrent.CopyOnWriteArrayList<>();
        behaviour = (request, line) -> {
            line.json(200, PONG);
            line.hangUp();
            left.add(true);
        };
        try (Wire wire = weir.wire()) {
            wire.send(ping(path));
            assertThat(wire.answer().status()).isEqualTo(200);
        }
        org.awaitility.Awaitility.await().until(() -> !left.isEmpty());
        behaviour = ANSWERS;
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        for (int n = 0; n < 32; n++) {
            calls.add(CompletableFuture.supplyAsync(() -> {
                try (Wire wire = weir.wire()) {
                    wire.send(ping(path));
                    return wire.answer().status();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }));
        }
        assertThat(calls).extracting(CompletableFuture::join).containsOnly(200);
        assertThat(upstream.received()).hasSize(33);
    }

    /** Case O39: a connection that nobody uses is given up before common servers close theirs, which is after five seconds. */
    @Test
    void aConnectionThatNobodyUsesIsGivenUpBeforeFiveSeconds() throws Exception {
        CompletableFuture<Duration> idle = new CompletableFuture<>();
        behaviour = (request, line) -> {
            line.json(200, PONG);
            long since = System.nanoTime();
            idle.complete(line.isLeft() ? Duration.ofNanos(System.nanoTime() - since) : Duration.ofHours(1));
        };
        try (Wire wire = weir.wire()) {
            wire.send(ping("/api"));
            assertThat(wire.answer().status()).isEqualTo(200);
        }
        assertThat(idle.join()).isBetween(Duration.ofSeconds(2), Duration.ofMillis(4_900));
    }

    /** Case O40 where Weir answers itself; HttpRouteTest has it where an upstream does. */
    @Test
    void aHeadThatWeirAnswersHasNoBodyAndTheNextCallIsWhole() throws Exception {
        try (Wire wire = weir.wire()) {
            for (String path : List.of("/mcp", "/health", "/live", "/nowhere", "/none")) {
                wire.send(head("HEAD", path));
                Wire.Head head = wire.head();
                assertThat(head.status()).as(path).isIn(200, 404, 405, 429);
                wire.send(post(K1, PING));
                assertThat(wire.answer().body()).as("after HEAD %s", path).isEqualTo(PONG);
            }
            wire.send(head("HEAD", "/api").replace(K1, "nobody"));
            assertThat(wire.head().status()).isEqualTo(401);
            wire.send(post(K1, call(7, "T1")));
            assertThat(wire.answer().status()).isEqualTo(200);
        }
    }
}
