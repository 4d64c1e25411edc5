package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.BareServer;
import dev.weir.wire.RacingCalls;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP at the level of bytes where Tomcat does it in its own way, in a heap that a large body would not fit into. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TomcatBytesIT {

    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final StubUpstream.Behaviour ANSWERS = (request, line) -> line.json(200, PONG);

    private final BlockingQueue<Socket> arrived = new LinkedBlockingQueue<>();
    private volatile StubUpstream.Behaviour behaviour = ANSWERS;
    private StubUpstream stub;
    private BareServer bare;
    private ContainerProcess tomcat;
    private Path directory;

    @BeforeAll
    void start(@TempDir Path base) throws Exception {
        directory = base;
        stub = new StubUpstream((request, line) -> behaviour.answer(request, line));
        bare = new BareServer(arrived::add);
        Path data = directory.resolve("data");
        tomcat = ContainerProcess.tomcat(
                directory.resolve("base"),
                Path.of(System.getProperty("weir.war")),
                Map.of(
                        "MCP_AUTH_REQUIRED", "false",
                        "MCP_RATE_LIMIT_BURST_SIZE", "10000",
                        "MCP_DATA_DIR", data.toString(),
                        "MCP_DB_URL", "jdbc:h2:file:" + data.resolve("weir"),
                        "CATALINA_OPTS", "-Xmx96m -XX:MaxDirectMemorySize=64m"));
        tomcat.awaitReady();
        WeirProcess.Run written = WeirProcess.run(
                directory,
                Map.of(),
                "sql",
                "INSERT INTO route (prefix, upstream_url) VALUES ('/mcp', '" + stub.base() + "');\n"
                        + "INSERT INTO route (prefix, kind, upstream_url) VALUES ('/api', 'http', '" + stub.base()
                        + "');\n"
                        + "INSERT INTO route (prefix, kind, upstream_url) VALUES ('/up', 'http', '" + bare.url()
                        + "');\n"
                        + "INSERT INTO route (prefix, kind, upstream_url, max_body_bytes) VALUES ('/small', 'http', '"
                        + bare.url() + "', 1000);\n"
                        + "INSERT INTO route (prefix, kind, upstream_url, rate_per_second, burst) VALUES ('/none', 'http', '"
                        + stub.base() + "', 0.001, 1)");
        assertThat(written.exitCode()).as("%s", written).isZero();
        await().untilAsserted(() -> {
            try (Wire wire = wire()) {
                wire.send(head("GET", "/none"));
                assertThat(wire.answer().status()).isEqualTo(429);
            }
        });
    }

    @BeforeEach
    void begin() {
        behaviour = ANSWERS;
        stub.forget();
    }

    @AfterAll
    void stop() throws IOException {
        tomcat.close();
        stub.close();
        bare.close();
    }

    private Wire wire() throws IOException {
        return new Wire(tomcat.url().getPort());
    }

    private static String head(String method, String path, String... headers) {
        return method + " " + path
                + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                + String.join("", headers) + "\r\n";
    }

    private static String ping(String path) {
        return head("POST", path, "Content-Length: " + PING.length() + "\r\n") + PING;
    }

    private Socket upstreamSide() throws Exception {
        Socket socket = arrived.poll(10, TimeUnit.SECONDS);
        assertThat(socket).as("a connection to the upstream").isNotNull();
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static CompletableFuture<Void> sending(Wire client, byte[] piece, int times) {
        return CompletableFuture.runAsync(() -> {
            try {
                for (int n = 0; n < times; n++) {
                    client.send(piece);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void everyAnswerCarriesItsOwnIdAndContent() throws Exception {
        // O27, O28. The limit is looked at twice a second, so each call takes about that long.
        try (StubUpstream racing = RacingCalls.upstream(500)) {
            sql("UPDATE route SET upstream_url = '" + racing.base()
                    + "', first_byte_timeout_ms = 400, breaker_enabled = FALSE WHERE prefix = '/mcp'");
            await().untilAsserted(() -> {
                try (Wire wire = wire()) {
                    wire.send(ping("/mcp"));
                    wire.answer();
                    assertThat(racing.received()).isNotEmpty();
                }
            });
            RacingCalls.Outcome outcome = RacingCalls.run(tomcat.url().getPort(), 3_000, 150);
            assertThat(outcome.wrong()).isEmpty();
            assertThat(outcome.answered()).isGreaterThan(100);
            assertThat(outcome.timedOut()).isGreaterThan(100);
        } finally {
            sql("UPDATE route SET upstream_url = '" + stub.base()
                    + "', first_byte_timeout_ms = 60000, breaker_enabled = TRUE WHERE prefix = '/mcp'");
            await().untilAsserted(() -> {
                try (Wire wire = wire()) {
                    wire.send(ping("/mcp"));
                    assertThat(wire.answer().body()).isEqualTo(PONG);
                }
                assertThat(stub.received()).isNotEmpty();
            });
        }
    }

    private void sql(String statement) throws Exception {
        WeirProcess.Run written = WeirProcess.run(directory, Map.of(), "sql", statement);
        assertThat(written.exitCode()).as("%s", written).isZero();
    }

    /** A body twice as large as the heap passes. */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 209715200", "Transfer-Encoding: chunked"})
    void twoHundredMegabytesPassThroughASmallHeap(String framing) throws Exception {
        boolean chunked = framing.startsWith("T");
        String data = "x".repeat(64 * 1024);
        byte[] piece = (chunked ? "10000\r\n" + data + "\r\n" : data).getBytes(StandardCharsets.US_ASCII);
        try (Wire client = wire()) {
            client.send(head("PUT", "/up", framing + "\r\n"));
            CompletableFuture<Void> sending = sending(client, piece, 3_200);
            Socket socket = upstreamSide();
            InputStream in = socket.getInputStream();
            List<String> head = Wire.readHead(in);
            assertThat(head).contains(framing);
            long received = chunked ? countChunks(in, sending, client) : count(in, 209_715_200L);
            assertThat(received).isEqualTo(209_715_200L);
            sending.join();
            socket.getOutputStream().write(OK.getBytes(StandardCharsets.US_ASCII));
            assertThat(client.answer().body()).isEqualTo("ok");
            socket.close();
        }
    }

    private static long count(InputStream in, long most) throws IOException {
        byte[] bytes = new byte[64 * 1024];
        long count = 0;
        while (count < most) {
            int n = in.read(bytes, 0, (int) Math.min(bytes.length, most - count));
            if (n < 0) {
                break;
            }
            count += n;
        }
        return count;
    }

    private static long countChunks(InputStream in, CompletableFuture<Void> sending, Wire client) throws IOException {
        var unused = sending.thenRun(() -> {
            try {
                client.send("0\r\n\r\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return Wire.skipChunks(in);
    }

    /** Case O31 in Tomcat: what the upstream says in the middle of an upload reaches the client that sends on. */
    @Test
    void anEarlyRefusalOfTheUpstreamReachesTheClientThatStillSends() throws Exception {
        try (Wire client = wire()) {
            client.send(head("POST", "/up", "Content-Length: 50000000\r\n") + "x".repeat(1_000));
            Socket socket = upstreamSide();
            Wire.readHead(socket.getInputStream());
            socket.getOutputStream()
                    .write("HTTP/1.1 413 X\r\nContent-Length: 3\r\n\r\nbig".getBytes(StandardCharsets.US_ASCII));
            CompletableFuture<Void> sending = sending(client, new byte[1_000], 1_500);
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.body()).contains("backend_error");
            socket.close();
            sending.handle((done, failure) -> failure).join();
        }
    }

    /** Case O31 in Tomcat: refusals by Weir, one announced and one found out on the way. */
    @Test
    void aBodyThatIsTooLargeIsRefusedWhileItIsSent() throws Exception {
        try (Wire client = wire()) {
            client.send(head("POST", "/small", "Content-Length: 1500000\r\n"));
            CompletableFuture<Void> sending = sending(client, new byte[1_000], 1_500);
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.body()).contains("body_too_large");
            sending.handle((done, failure) -> failure).join();
        }
        assertThat(arrived).isEmpty();
    }

    /** Case O31 in Tomcat: a throttle, for which the body is read out of the way first. */
    @Test
    void aThrottledUploadReadsItsRefusal() throws Exception {
        try (Wire client = wire()) {
            client.send(head("POST", "/none", "Content-Length: 20000000\r\n"));
            for (int n = 0; n < 200; n++) {
                client.send(new byte[100_000]);
            }
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(429);
            assertThat(answer.body()).contains("Rate limit exceeded");
        }
        assertThat(stub.received()).isEmpty();
    }

    /** Case O26 in Tomcat. */
    @ParameterizedTest
    @ValueSource(strings = {"/mcp", "/api"})
    void aClientOfHttp10GetsItsAnswerWithALengthOrUntilTheEnd(String path) throws Exception {
        String request = ping(path).replace("HTTP/1.1", "HTTP/1.0");
        try (Wire client = wire()) {
            client.send(request);
            Wire.Head head = client.head();
            assertThat(head.values("Transfer-Encoding")).isEmpty();
            assertThat(client.untilClosed()).isEqualTo(PONG);
        }
        CountDownLatch seen = new CountDownLatch(1);
        behaviour = (received, line) -> {
            line.head("text/event-stream");
            line.chunk("data: 1\n\n");
            seen.await();
            line.chunk("data: 2\n\n");
            line.chunk("");
        };
        try (Wire client = wire()) {
            client.send(request);
            assertThat(client.head().values("Transfer-Encoding")).isEmpty();
            assertThat(client.bytes(9)).asString(StandardCharsets.UTF_8).isEqualTo("data: 1\n\n");
            seen.countDown();
            assertThat(client.untilClosed()).isEqualTo("data: 2\n\n");
        }
    }

    /** Case O34 in Tomcat, which lets Transfer-Encoding win: no second request comes out of one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 6\r\nTransfer-Encoding: chunked",
                "Content-Length: 6\r\nTransfer-Encoding: xchunked",
                "Transfer-Encoding: chunked, identity",
                "Content-Length: 6\r\nContent-Length: 7",
                "Content-Length: +5",
                "Content-Length: -1"
            })
    void aBodyThatIsFramedInTwoWaysIsAtMostOneRequest(String framing) throws Exception {
        for (String path : List.of("/mcp", "/api")) {
            stub.forget();
            try (Wire client = wire()) {
                client.send(head("POST", path, framing + "\r\n") + "0\r\n\r\n" + head("GET", "/api/smuggled"));
                String all = client.untilClosed();
                assertThat(all.split("HTTP/1.1 ", -1)).as(all).hasSize(2);
            }
            assertThat(stub.received()).hasSizeLessThan(2).allSatisfy(received -> {
                assertThat(received.requestLine()).doesNotContain("smuggled");
                assertThat(received.values("Transfer-Encoding").size()
                                + received.values("Content-Length").size())
                        .isLessThan(2);
            });
        }
    }

    /** Case O36 in Tomcat. */
    @Test
    void aClientThatWantsToBeAskedIsAskedOnce() throws Exception {
        for (String path : List.of("/mcp", "/api")) {
            try (Wire client = wire()) {
                client.send(head("POST", path, "Expect: 100-continue\r\nContent-Length: " + PING.length() + "\r\n"));
                assertThat(client.head().status()).isEqualTo(100);
                client.send(PING);
                assertThat(client.answer().body()).isEqualTo(PONG);
            }
        }
    }

    /** Case O40 in Tomcat. */
    @Test
    void aHeadHasNoBodyAndTheNextCallIsWhole() throws Exception {
        behaviour = (request, line) -> {
            if (request.requestLine().startsWith("HEAD")) {
                line.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                        + (request.requestLine().contains("/unknown") ? "" : "Content-Length: 100\r\n") + "\r\n");
            } else {
                ANSWERS.answer(request, line);
            }
        };
        try (Wire client = wire()) {
            for (String path : List.of("/api", "/api/unknown", "/mcp", "/health", "/none")) {
                client.send(head("HEAD", path));
                Wire.Head head = client.head();
                assertThat(head.status()).as(path).isIn(200, 405, 429);
                if (path.startsWith("/api")) {
                    assertThat(head.values("Content-Length"))
                            .isEqualTo(path.equals("/api") ? List.of("100") : List.of());
                }
                client.send(ping("/mcp"));
                assertThat(client.answer().body()).as("after HEAD %s", path).isEqualTo(PONG);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 1000", "Transfer-Encoding: chunked"})
    void aClientThatBreaksOffMakesTheUpstreamSeeABrokenRequest(String framing) throws Exception {
        Wire client = wire();
        client.send(head("POST", "/up", framing + "\r\n") + (framing.startsWith("T") ? "4\r\nhalf\r\n" : "half"));
        Socket socket = upstreamSide();
        Wire.readHead(socket.getInputStream());
        client.leave();
        String seen;
        try {
            seen = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            seen = "reset";
        }
        assertThat(seen).doesNotEndWith("0\r\n\r\n");
        socket.close();
        try (Wire next = wire()) {
            next.send(ping("/mcp"));
            assertThat(next.answer().body()).isEqualTo(PONG);
        }
    }

    @Test
    void anAnswerComesWhileTheBodyIsStillOnItsWay() throws Exception {
        try (Wire client = wire()) {
            client.send(head("POST", "/up", "Transfer-Encoding: chunked\r\n") + "3\r\none\r\n");
            Socket socket = upstreamSide();
            Wire.readHead(socket.getInputStream());
            socket.getOutputStream()
                    .write(
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nONE\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
            assertThat(client.head().status()).isEqualTo(200);
            assertThat(client.textChunk()).isEqualTo("ONE\n");
            client.send("3\r\ntwo\r\n0\r\n\r\n");
            assertThat(Wire.readChunks(socket.getInputStream())).hasSize(6);
            socket.getOutputStream().write("4\r\nTWO\n\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(client.textChunk()).isEqualTo("TWO\n");
            assertThat(client.chunk()).isEmpty();
            socket.close();
        }
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            try (Wire next = wire()) {
                next.send(ping("/mcp"));
                assertThat(next.answer().body()).isEqualTo(PONG);
            }
        });
    }
}
