package dev.weir.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cases about streams, by number, through a whole Weir in whatever container. */
public abstract class StreamCases {

    /** Settings of the routes that these cases need: rows of {@code route} by their prefixes, without the upstream. */
    protected static final List<String> ROUTES = List.of(
            "'/mcp', %s, DEFAULT, DEFAULT, DEFAULT",
            "'/gone', %s, DEFAULT, 1200, DEFAULT", "'/slow', %s, 1500, 60000, 1500");

    /** The columns of {@link #ROUTES}. */
    protected static final String COLUMNS =
            "(prefix, upstream_url, first_byte_timeout_ms, idle_timeout_ms, total_timeout_ms)";

    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";

    /** The upstream of all routes; answers as {@link #behaviours} says. */
    protected static StubUpstream upstream(BlockingQueue<StubUpstream.Behaviour> behaviours) throws IOException {
        return new StubUpstream((request, line) -> {
            StubUpstream.Behaviour next = behaviours.peek();
            if (next != null) {
                next.answer(request, line);
            }
        });
    }

    /** What the upstream of {@link #upstream} does: the one element. */
    protected abstract BlockingQueue<StubUpstream.Behaviour> behaviours();

    /** Where Weir is. */
    protected abstract int port();

    private void behave(StubUpstream.Behaviour behaviour) {
        behaviours().clear();
        behaviours().add(behaviour);
    }

    private Wire open(String path, int receiveBuffer, String... headers) throws IOException {
        Wire wire = new Wire(port(), receiveBuffer);
        wire.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                + String.join("", headers) + "\r\n");
        return wire;
    }

    private Wire post() throws IOException {
        Wire wire = new Wire(port());
        wire.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Accept: application/json, text/event-stream\r\nContent-Length: " + CALL.length() + "\r\n\r\n"
                + CALL);
        return wire;
    }

    /** Case O21: each event arrives before the next is sent, whatever the client could decode. */
    @Test
    void eventsAreNeitherEncodedNorHeldBack() throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        behave((request, line) -> {
            line.head("text/event-stream");
            for (String event = events.take(); !event.isEmpty(); event = events.take()) {
                line.chunk(event);
            }
            line.send("0\r\n\r\n");
        });
        try (Wire client = open("/mcp", 64 * 1024, "Accept-Encoding: gzip, br\r\n")) {
            Wire.Head head = client.head();
            assertThat(head.values("Content-Encoding")).isEmpty();
            assertThat(head.values("X-Accel-Buffering")).containsExactly("no");
            assertThat(String.join(",", head.values("Cache-Control"))).contains("no-transform");
            for (int n = 0; n < 5; n++) {
                String event = "data: " + "x".repeat(31) + n + "\n\n";
                events.add(event);
                assertThat(client.text(event.length())).isEqualTo(event);
            }
            events.add("");
            assertThat(client.body(head)).isEmpty();
        }
    }

    /** Case O22: a client that does not read and never says goodbye does not hold its upstream for ever. */
    @Test
    void aVanishedClientOfASilentStreamLosesItInTheEnd() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        behave((request, line) -> {
            line.head("text/event-stream");
            if (line.isLeft()) {
                left.countDown();
            }
        });
        try (Wire vanished = open("/gone", 2_048)) {
            assertThat(left.await(9, TimeUnit.SECONDS)).as("%s", vanished).isTrue();
        }
    }

    /** Case O25: limits that are meant for calls do not end a stream whose events come slowly. */
    @Test
    void aStreamOutlivesTheLimitsOfCalls() throws Exception {
        behave((request, line) -> {
            line.head("text/event-stream");
            for (int n = 0; n < 3; n++) {
                TimeUnit.MILLISECONDS.sleep(900);
                line.chunk("data: " + n + "\n\n");
            }
            line.send("0\r\n\r\n");
        });
        try (Wire client = open("/slow", 64 * 1024)) {
            Wire.Head head = client.head();
            assertThat(client.body(head)).isEqualTo("data: 0\n\ndata: 1\n\ndata: 2\n\n");
        }
    }

    /** Case O29: a window that is nearly always shut, on many streams at once. */
    @Test
    void whatAClientReadsSlowlyIsCompleteAndInOrder() throws Exception {
        int events = 400;
        behave((request, line) -> {
            line.head("text/event-stream");
            for (int n = 0; n < events; n++) {
                line.chunk(event(n));
            }
            line.send("0\r\n\r\n");
        });
        StringBuilder all = new StringBuilder();
        for (int n = 0; n < events; n++) {
            all.append(event(n));
        }
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int n = 0; n < 30; n++) {
            clients.add(CompletableFuture.runAsync(() -> {
                try (Wire client = open("/mcp", 2_048)) {
                    assertThat(client.body(client.head()).replace(":\n\n", "")).isEqualTo(all.toString());
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        clients.forEach(CompletableFuture::join);
    }

    private static String event(int n) {
        return "data: " + n + " " + "y".repeat(1_000) + "\n\n";
    }

    /** Case O32: what breaks off is seen to be broken. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ndata: \r\n",
                "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{\"half\":",
                "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{\"half\"\r\n"
            })
    void anAnswerThatBreaksOffHasNoCleanEnd(String answer) throws Exception {
        behave((request, line) -> {
            line.send("HTTP/1.1 200 OK\r\n" + answer);
            TimeUnit.MILLISECONDS.sleep(50);
            line.hangUp();
        });
        try (Wire client = post()) {
            Wire.Head head = client.head();
            assertThat(head.status()).isEqualTo(200);
            assertThatThrownBy(() -> client.body(head)).isInstanceOf(IOException.class);
        }
    }

    /** Case O33: clients that close in the middle of streamed answers leave no connection behind. */
    @Test
    void closedClientsAreNoticedByTheHundred() throws Exception {
        int clients = 100;
        CountDownLatch left = new CountDownLatch(clients);
        behave((request, line) -> {
            line.head("text/event-stream");
            line.chunk("data: first\n\n");
            if (line.isLeft(30_000)) {
                left.countDown();
            }
        });
        for (int n = 0; n < clients; n++) {
            try (Wire client = post()) {
                client.head();
                client.text(13);
            }
        }
        assertThat(left.await(30, TimeUnit.SECONDS))
                .as("%s still there", left.getCount())
                .isTrue();
    }
}
