package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stop lets calls end, and ends streams between two events. */
class GracefulStopTest {

    private static final String KEY = "Authorization: Bearer " + RunningWeir.K1 + "\r\n";
    private static final String CALL =
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"T2\"}}";
    private static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}";

    @TempDir
    Path directory;

    private final CountDownLatch called = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);
    private final CountDownLatch rest = new CountDownLatch(1);
    private final CountDownLatch left = new CountDownLatch(1);

    private RunningWeir start(StubUpstream upstream, String graceSeconds) throws Exception {
        return RunningWeir.start(
                directory,
                upstream.base(),
                "mcp.allowed-hosts",
                "front.example,127.0.0.1",
                "mcp.stop.grace-seconds",
                graceSeconds);
    }

    /** A call is answered when the test says so; a stream stops in the middle of its second event. */
    private void serve(StubUpstream.Received request, StubUpstream.Line line) throws Exception {
        if (request.requestLine().startsWith("POST")) {
            called.countDown();
            answer.await();
            line.json(200, RESULT);
            return;
        }
        line.head("text/event-stream");
        line.chunk("data: 1\n\ndata: ");
        rest.await();
        line.chunk("2\n\ndata: 3\n\n");
        if (line.isLeft()) {
            left.countDown();
        }
    }

    @Test
    void callsEndAndStreamsEndBetweenTwoEvents() throws Exception {
        try (StubUpstream upstream = new StubUpstream(this::serve);
                RunningWeir weir = start(upstream, "20");
                Wire stream = new Wire(weir.port());
                Wire call = new Wire(weir.port())) {
            stream.request("GET", "/mcp", "Accept: text/event-stream\r\n", KEY);
            Wire.Head head = stream.head();
            assertThat(stream.text(15)).isEqualTo("data: 1\n\ndata: ");
            call.post(CALL, KEY);
            assertThat(called.await(10, TimeUnit.SECONDS)).isTrue();

            CompletableFuture<Void> stopping = CompletableFuture.runAsync(weir::close);
            await().untilAsserted(() ->
                    assertThat(weir.probe("/ready")).startsWith("503").contains("stopping"));
            try (Wire late = new Wire(weir.port())) {
                late.request("DELETE", "/nowhere", KEY);
                assertThat(late.answer().head().values("Connection")).containsExactly("close");
            }
            answer.countDown();
            assertThat(call.answer().body()).isEqualTo(RESULT);
            rest.countDown();
            // All of them may be here before the streams are told to end.
            assertThat(stream.body(head)).isIn("2\n\n", "2\n\ndata: 3\n\n");
            assertThat(left.await(10, TimeUnit.SECONDS)).isTrue();
            stopping.get(15, TimeUnit.SECONDS);
        }
    }

    @Test
    void aSilentStreamDoesNotHoldAStopUp() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    line.isLeft();
                });
                RunningWeir weir = start(upstream, "60");
                Wire stream = new Wire(weir.port())) {
            stream.request("GET", "/mcp", "Accept: text/event-stream\r\n", KEY);
            Wire.Head head = stream.head();
            CompletableFuture<Void> stopping = CompletableFuture.runAsync(weir::close);
            assertThat(stream.body(head)).isEmpty();
            assertThat(stopping).succeedsWithin(Duration.ofSeconds(30));
        }
    }

    @Test
    void aCallThatDoesNotEndInTimeIsToldSo() throws Exception {
        try (StubUpstream upstream = new StubUpstream(this::serve);
                RunningWeir weir = start(upstream, "1");
                Wire call = new Wire(weir.port())) {
            call.post(CALL, KEY);
            assertThat(called.await(10, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Void> stopping = CompletableFuture.runAsync(weir::close);
            Wire.Answer answer = call.answer();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.body()).contains("\"id\":7");
            stopping.get(15, TimeUnit.SECONDS);
        }
    }

    @Test
    void anAnswerInTheMiddleOfAnEventIsBrokenOffAtLast() throws Exception {
        try (StubUpstream upstream = new StubUpstream(this::serve);
                RunningWeir weir = start(upstream, "0");
                Wire stream = new Wire(weir.port())) {
            stream.request("GET", "/mcp", "Accept: text/event-stream\r\n", KEY);
            Wire.Head head = stream.head();
            assertThat(stream.text(15)).isEqualTo("data: 1\n\ndata: ");
            CompletableFuture<Void> stopping = CompletableFuture.runAsync(weir::close);
            assertThatThrownBy(() -> stream.body(head)).isInstanceOf(IOException.class);
            stopping.get(15, TimeUnit.SECONDS);
        }
    }
}
