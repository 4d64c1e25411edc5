package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a bad request is told: always JSON, always with an id, never a page of the container, and nothing goes up. */
@Timeout(60)
class BadInputTest {

    private static final String GOOD = "{\"jsonrpc\":\"2.0\",\"id\":\"good\",\"method\":\"ping\"}";
    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":\"good\",\"result\":{}}";

    @TempDir
    Path directory;

    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.json(200, PONG));
        weir = RunningWeir.start(directory, upstream.base());
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    private static void assertJson(Wire.Answer answer, int status) {
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
        assertThat(answer.head().values("X-Request-ID")).hasSize(1);
        assertThat(answer.body()).startsWith("{").endsWith("}").doesNotContain("<html");
    }

    private void assertUsable(Wire wire) throws IOException {
        wire.send(post(K1, GOOD));
        assertThat(wire.answer().body()).isEqualTo(PONG);
        assertThat(upstream.received())
                .as("nothing but the good request went up")
                .hasSize(1);
    }

    /** Case O03 among others: of two equal keys nobody knows which one the upstream will go by. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "not json | -32700",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x | -32700",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"ping\"} | -32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"} | -32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{},\"params\":{}} | -32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"FREE\",\"name\":\"T1\"}} | -32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"FREE\",\"na\\u006de\":\"T1\"}} | -32600",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}] | -32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":5}} | -32600",
                "42 | -32600"
            })
    void aBodyThatIsNoMessageIsRefusedAsJsonRpc(String body, int code) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, body));
            Wire.Answer answer = wire.answer();
            assertJson(answer, 400);
            assertThat(answer.body()).contains("\"code\":" + code).doesNotContain("\"result\"");
            assertUsable(wire);
        }
    }

    @Test
    void anEmptyBodyIsNoMessage() throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, ""));
            assertJson(wire.answer(), 400);
            assertUsable(wire);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Encoding: gzip\r\n",
                "Content-Type: application/json\r\n",
                "Content-Type: text/plain\r\n"
            })
    void aBodyThatIsLabelledInAnyOtherWayIsUnsupported(String more) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, GOOD, more));
            assertJson(wire.answer(), 415);
            assertUsable(wire);
        }
    }

    @Test
    void aBodyOfExactlyTheLargestSizeIsAcceptedAndOneByteMoreIsNot() throws Exception {
        String call = call(1, "T1");
        String padded = call.replace("{}", "{\"text\":\"" + "x".repeat((1 << 20) - call.length() - 9) + "\"}");
        assertThat(padded).hasSize(1 << 20);
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, padded));
            assertThat(wire.answer().status()).isEqualTo(200);
            assertThat(upstream.received().get(0).body()).isEqualTo(padded);

            wire.send(post(K1, padded + " "));
            Wire.Answer tooLarge = wire.answer();
            assertJson(tooLarge, 413);
        }
        assertThat(upstream.received()).hasSize(1);
    }

    /** Case O31 on routes of MCP, in chunks. */
    @Test
    void aBodyWithoutEndThatIsTooLargeIsAnsweredWhileItsSenderStillSends() throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1
                    + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
            String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
            for (int i = 0; i < 40; i++) {
                wire.send(chunk);
            }
            wire.send("0\r\n\r\n");
            assertJson(wire.answer(), 413);
        }
        assertThat(upstream.received()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/", "/nowhere", "/mcpx", "/MCP", "/WEB-INF/web.xml", "/dev/weir/run/Main.class", "/index.html"})
    void aPathWithoutRouteIsNotFound(String path) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, GOOD).replace("POST /mcp", "POST " + path));
            Wire.Answer answer = wire.answer();
            assertJson(answer, 404);
            assertThat(answer.body()).contains("route_not_found");
            assertUsable(wire);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/mcp;x=1",
                "//mcp",
                "/%6dcp",
                "/mcp/%2e%2e/mcp",
                "/x/../mcp",
                "/mcp%2f",
                "/mcp/./x",
                "/mcp/..;/x"
            })
    void aPathThatCouldBeReadInTwoWaysIsNone(String path) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, GOOD).replace("POST /mcp", "POST " + path));
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isIn(400, 404);
            assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
            assertThat(answer.body()).startsWith("{").endsWith("}");
        }
        assertThat(upstream.received()).isEmpty();
    }

    @Test
    void anUpstreamThatIsDownIsABadGatewayWithTheCallersId() throws Exception {
        int port;
        try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = nobody.getLocalPort();
        }
        weir.sql("UPDATE route SET upstream_url = 'http://127.0.0.1:" + port + "/mcp'");
        try (Wire wire = weir.wire()) {
            await().until(() -> {
                wire.send(post(K1, GOOD));
                return wire.answer().status() == 502;
            });
            wire.send(post(K1, call("\"r-1\"", "echo")));
            Wire.Answer answer = wire.answer();
            assertJson(answer, 502);
            assertThat(answer.body())
                    .startsWith("{\"jsonrpc\":\"2.0\",\"id\":\"r-1\",\"error\":{\"code\":502")
                    .contains("backend_unavailable")
                    .doesNotContain("127.0.0.1");
            wire.send(post(K1, call("\"r-2\"", "echo")));
            assertJson(wire.answer(), 502);
        }
    }

    @Test
    void aBodyThatComesByteByByteIsReadWithoutHoldingUpOthers() throws Exception {
        String request = post(K1, GOOD);
        int bodyAt = request.indexOf("\r\n\r\n") + 4;
        try (Wire slow = weir.wire();
                Wire other = weir.wire()) {
            slow.send(request.substring(0, bodyAt));
            for (int i = bodyAt; i < request.length(); i++) {
                slow.send(request.substring(i, i + 1));
                if (i % 10 == 0) {
                    other.send(post(K1, GOOD));
                    assertThat(other.answer().status()).isEqualTo(200);
                }
            }
            assertThat(slow.answer().body()).isEqualTo(PONG);
        }
        assertThat(upstream.received()).extracting(StubUpstream.Received::body).containsOnly(GOOD);
    }

    /** Case O36 on routes of MCP, where the body is wanted. */
    @Test
    void aClientThatWantsToBeAskedForItsBodyIs() throws Exception {
        String request = post(K1, GOOD, "Expect: 100-continue\r\n");
        int bodyAt = request.indexOf("\r\n\r\n") + 4;
        try (Wire wire = weir.wire()) {
            wire.send(request.substring(0, bodyAt));
            assertThat(wire.head().status()).isEqualTo(100);
            wire.send(request.substring(bodyAt));
            assertThat(wire.answer().body()).isEqualTo(PONG);
        }
    }

    @Test
    void theRequestIdOfACallerIsKeptIfItIsSane() throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, GOOD, "X-Request-ID: my-id_1.2:3\r\n"));
            assertThat(wire.answer().head().values("X-Request-ID")).containsExactly("my-id_1.2:3");
            assertThat(upstream.received().get(0).values("X-Request-ID")).containsExactly("my-id_1.2:3");
            for (String odd : new String[] {"a b", "x".repeat(65), "\",\"level\":\"ERROR", "\u001b[2J"}) {
                wire.send(post(K1, GOOD, "X-Request-ID: " + odd + "\r\n"));
                Wire.Head head = wire.answer().head();
                if (head.status() == 200) {
                    assertThat(head.values("X-Request-ID")).hasSize(1).doesNotContain(odd);
                }
            }
        }
    }
}
