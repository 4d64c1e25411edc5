package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.mcp.ClientStreams.Delivery;
import dev.weir.upstream.Manners;
import dev.weir.upstream.Upstream;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of HTTP+SSE: where their messages go, and what is put into them. */
class LegacyStreamTest {

    private static final Pattern PUBLIC = Pattern.compile("event: endpoint\ndata: (/mcp/~sse/\\S+)\n\n");
    private static final String ENDPOINT = "event: endpoint\ndata: /messages?sessionId=abc\n\n";
    private static final byte[] MESSAGE = "{\"id\":1}".getBytes(StandardCharsets.UTF_8);
    private static final String INSERTED = "event: message\ndata: {\"id\":1}\n\n";

    private final LinkedBlockingQueue<String> script = new LinkedBlockingQueue<>();
    private StubUpstream upstream;
    private Front front;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> {
            if (request.requestLine().startsWith("POST")) {
                line.send("HTTP/1.1 202 Accepted\r\nContent-Length: 8\r\n\r\nAccepted");
                return;
            }
            line.head("text/event-stream");
            for (String session : request.values("Test-Session")) {
                line.chunk(ENDPOINT.replace("abc", session));
                line.isLeft();
            }
            for (String event = script.take(); !event.isEmpty(); event = script.take()) {
                line.chunk(event);
            }
            line.send("0\r\n\r\n");
        });
        front = Front.to(upstream.base());
    }

    @AfterEach
    void stop() throws IOException {
        front.close();
        upstream.close();
    }

    private String open(Wire client, String endpoint) throws IOException {
        script.add(endpoint);
        client.request("GET", "/mcp", "Accept: text/event-stream\r\n");
        assertThat(client.head().status()).isEqualTo(200);
        Matcher told = PUBLIC.matcher(client.textChunk());
        assertThat(told.matches()).as("%s", told).isTrue();
        return told.group(1);
    }

    private static void post(Wire client, String address, String... headers) throws IOException {
        client.request(
                "POST",
                address,
                "Content-Type: application/json\r\n" + String.join("", headers) + "Content-Length: 0\r\n");
    }

    private Delivery deliver(String address, String owner) {
        String[] parts = address.split("\\?", 2);
        return front.streams().deliver(parts[0], parts.length < 2 ? null : parts[1], owner, MESSAGE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/messages?sessionId=abc", "messages?sessionId=abc", "ORIGIN/messages?sessionId=abc"})
    void aMessageReachesTheAddressThatTheUpstreamHasNamed(String named) throws Exception {
        String origin = upstream.base().resolve("/").toString();
        String endpoint = named.replace("ORIGIN/", origin);
        try (Wire stream = new Wire(front.port());
                Wire client = new Wire(front.port())) {
            String address = open(stream, "event: endpoint\ndata: " + endpoint + "\n\n");
            post(client, address);
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(202);
            assertThat(answer.body()).isEqualTo("Accepted");
            assertThat(upstream.received().get(1).requestLine()).isEqualTo("POST /messages?sessionId=abc HTTP/1.1");
        }
    }

    @Test
    void aQueryAloneBelongsToTheAddressOfTheStream() throws Exception {
        try (Wire stream = new Wire(front.port());
                Wire client = new Wire(front.port())) {
            post(client, open(stream, "event: endpoint\ndata: ?sessionId=abc\n\n"));
            assertThat(client.answer().status()).isEqualTo(202);
            assertThat(upstream.received().get(1).requestLine()).isEqualTo("POST /mcp?sessionId=abc HTTP/1.1");
        }
    }

    @Test
    void nobodyElseAndNoOtherAddressReachesAnything() throws Exception {
        try (Wire stream = new Wire(front.port());
                Wire client = new Wire(front.port())) {
            String address = open(stream, ENDPOINT);
            post(client, address, "Test-Owner: client:c2\r\n");
            assertThat(client.answer().status()).isEqualTo(404);
            post(client, address.replace("abc", "abd"));
            assertThat(client.answer().status()).isEqualTo(404);
            client.request("GET", address);
            assertThat(client.answer().status()).isEqualTo(404);
            client.request("DELETE", address);
            assertThat(client.answer().status()).isEqualTo(404);
            assertThat(upstream.received()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:1/messages?sessionId=abc",
                "http://evil.example/messages",
                "//evil.example/messages",
                "https:/messages",
                "http://user@127.0.0.1/messages",
                "javascript:alert(1)",
                "/messages#x",
                "/a b",
                "/a/../b%2e"
            })
    void anAddressThatMustNotBeToldEndsTheStreamAndIsNotTold(String endpoint) throws Exception {
        script.add("event: endpoint\ndata: " + endpoint + "\n\n");
        try (Wire client = new Wire(front.port())) {
            client.request("GET", "/mcp", "Accept: text/event-stream\r\n");
            assertThat(client.head().status()).isEqualTo(200);
            assertThatThrownBy(client::chunk).isInstanceOf(IOException.class);
        }
        await().untilAsserted(() -> assertThat(front.outcomes())
                .singleElement()
                .satisfies(outcome -> assertThat(outcome)
                        .contains("the upstream named an endpoint")
                        .doesNotContain("sessionId")));
        assertThat(front.streams().size()).isZero();
        assertThat(front.underWay()).isZero();
    }

    @Test
    void aRefusalStandsBetweenTwoEventsHoweverTheBytesAreCut() throws Exception {
        try (Wire client = new Wire(front.port())) {
            String address = open(client, ENDPOINT);
            assertThat(deliver(address, "client:c1")).isEqualTo(Delivery.SENT);
            assertThat(client.text(INSERTED.length())).isEqualTo(INSERTED);
            script.add("data: half");
            assertThat(client.textChunk()).isEqualTo("data: half");
            assertThat(deliver(address, "client:c1")).isEqualTo(Delivery.SENT);
            script.add(" whole\n\ndata: nex");
            script.add("t\n\n");
            String rest = " whole\n\n" + INSERTED + "data: next\n\n";
            assertThat(client.text(rest.length())).isEqualTo(rest);
        }
    }

    @Test
    void aRefusalGoesToItsOwnersStreamOnly() throws Exception {
        try (Wire one = new Wire(front.port());
                Wire two = new Wire(front.port())) {
            String first = open(one, ENDPOINT);
            two.request("GET", "/mcp", "Accept: text/event-stream\r\nTest-Session: def\r\n");
            two.head();
            Matcher told = PUBLIC.matcher(two.textChunk());
            assertThat(told.matches()).isTrue();
            String second = told.group(1);
            assertThat(deliver(first, "client:c2")).isEqualTo(Delivery.NO_STREAM);
            assertThat(deliver("/mcp/~sse/x/messages?sessionId=abc", "client:c1"))
                    .isEqualTo(Delivery.NO_STREAM);
            assertThat(deliver("/mcp", "client:c1")).isEqualTo(Delivery.NOT_MEANT);
            assertThat(deliver(second, "client:c1")).isEqualTo(Delivery.SENT);
            assertThat(two.text(INSERTED.length())).isEqualTo(INSERTED);
            script.add("data: the next event\n\n");
            assertThat(one.textChunk()).isEqualTo("data: the next event\n\n");
        }
    }

    @Test
    void aStreamThatHasEndedIsForgotten() throws Exception {
        try (Wire client = new Wire(front.port())) {
            String address = open(client, ENDPOINT);
            assertThat(front.streams().size()).isOne();
            script.add("");
            assertThat(client.chunk()).isEmpty();
            await().untilAsserted(() -> assertThat(front.streams().size()).isZero());
            assertThat(deliver(address, "client:c1")).isEqualTo(Delivery.NO_STREAM);
            // Its upstream knows best what to say to the message.
            post(client, address);
            assertThat(client.answer().status()).isEqualTo(202);
        }
    }

    @Test
    void aClientThatLeavesItsStreamIsForgotten() throws Exception {
        try (Wire client = new Wire(front.port())) {
            open(client, ENDPOINT);
            client.leave();
            await().untilAsserted(() -> {
                front.sweepAfter(Front.COMMENT_AFTER.plus(Duration.ofSeconds(1)));
                assertThat(front.streams().size()).isZero();
            });
        }
    }

    @Test
    void aClientThatDoesNotReadIsNotWrittenToForEver() throws Exception {
        try (Wire client = new Wire(front.port(), 4 * 1024)) {
            String address = open(client, ENDPOINT);
            script.add("data: " + "x".repeat(30_000_000) + "\n\n");
            await().until(() -> deliver(address, "client:c1") == Delivery.NO_STREAM);
        }
    }

    @Test
    void oneOwnerHasSoManyStreamsAndNoMore() {
        LegacyStreams streams = new LegacyStreams(Front.SEALS);
        for (int n = 0; n < LegacyStreams.MAX_PER_OWNER + 10; n++) {
            Runnable unused = streams.add("/mcp/~sse/" + n, "client:c1", event -> true);
        }
        Runnable leave = streams.add("/mcp/~sse/other", "client:c2", event -> true);
        assertThat(streams.size()).isEqualTo(LegacyStreams.MAX_PER_OWNER + 1);
        assertThat(streams.deliver("/mcp/~sse/5", null, "client:c1", MESSAGE)).isEqualTo(Delivery.SENT);
        leave.run();
        leave.run();
        assertThat(streams.size()).isEqualTo(LegacyStreams.MAX_PER_OWNER);
    }

    @Test
    void theAddressBeginsWithThePathOfTheWebApplication() throws Exception {
        Upstream behind =
                new Upstream("/mcp", upstream.base(), Front.limits(Front.FIRST_BYTE, Front.IDLE), Manners.MCP);
        LegacyStreams streams = new LegacyStreams(Front.SEALS);
        LegacyStream stream = new LegacyStream(streams, behind, upstream.base(), "/tools", "client:c1");
        ByteBuffer passed = stream.pass(StandardCharsets.UTF_8.encode(ENDPOINT), event -> true);
        String told = StandardCharsets.UTF_8.decode(passed).toString();
        assertThat(told).startsWith("event: endpoint\ndata: /tools/mcp/~sse/");
        String[] address =
                told.substring(told.indexOf("/mcp"), told.length() - 2).split("\\?", 2);
        assertThat(streams.deliver(address[0], address[1], "client:c1", MESSAGE))
                .isEqualTo(Delivery.SENT);
        stream.close();
        assertThat(streams.size()).isZero();
        ByteBuffer again = stream.pass(StandardCharsets.UTF_8.encode(ENDPOINT), event -> true);
        assertThat(again.hasRemaining()).isTrue();
        assertThat(streams.size()).isZero();
    }

    @Test
    void anEncodedStreamIsNotAskedForAndNotPassed() throws Exception {
        try (StubUpstream gzip = new StubUpstream(
                        (request, line) -> line.send(
                                "HTTP/1.1 200 OK\r\n"
                                        + "Content-Type: text/event-stream\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"));
                Front coded = Front.to(gzip.base());
                Wire client = new Wire(coded.port())) {
            client.request("GET", "/mcp", "Accept: text/event-stream\r\nAccept-Encoding: gzip, br\r\n");
            assertThat(client.answer().status()).isEqualTo(502);
            assertThat(gzip.received().get(0).values("Accept-Encoding")).containsExactly("identity");
        }
    }
}
