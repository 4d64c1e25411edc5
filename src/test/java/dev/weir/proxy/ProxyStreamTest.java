package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers in the middle of which one side breaks off, stands still or leaves. */
class ProxyStreamTest {

    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}";
    private static final String EVENT = "data: {\"n\":1}\n\n";

    @Test
    void anUpstreamThatDiesInAStreamIsSeenByTheClientAfterTheLastEvent() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    line.chunk(EVENT);
                    line.hangUp();
                });
                Front front = Front.to(upstream.base())) {
            for (int n = 0; n < 50; n++) {
                try (Wire client = new Wire(front.port())) {
                    client.post(CALL);
                    Wire.Head head = client.head();
                    assertThat(head.status()).isEqualTo(200);
                    assertThat(client.text(EVENT.length())).isEqualTo(EVENT);
                    assertThatThrownBy(client::chunk).isInstanceOf(IOException.class);
                }
            }
            await().untilAsserted(() ->
                    assertThat(front.outcomes()).hasSize(50).noneMatch(outcome -> outcome.equals("none")));
            assertThat(front.underWay()).isZero();
            assertThat(upstream.received()).hasSize(50);
        }
    }

    @Test
    void anUpstreamThatDiesBeforeTheFirstEventIsSeenToo() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    line.hangUp();
                });
                Front front = Front.to(upstream.base())) {
            for (int n = 0; n < 50; n++) {
                try (Wire client = new Wire(front.port())) {
                    client.post(CALL);
                    assertThatThrownBy(() -> client.body(client.head())).isInstanceOf(IOException.class);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 1000000", "Transfer-Encoding: chunked"})
    void anUpstreamThatDiesInALongAnswerIsSeenByTheClient(String length) throws Exception {
        String part = "x".repeat(50_000);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + length + "\r\n\r\n");
                    if (length.startsWith("T")) {
                        line.chunk(part);
                    } else {
                        line.send(part);
                    }
                    line.hangUp();
                });
                Front front = Front.to(upstream.base())) {
            for (int n = 0; n < 50; n++) {
                try (Wire client = new Wire(front.port())) {
                    client.post(CALL);
                    Wire.Head head = client.head();
                    assertThat(head.status()).isEqualTo(200);
                    assertThatThrownBy(() -> client.body(head)).isInstanceOf(IOException.class);
                }
            }
            await().untilAsserted(() -> assertThat(front.underWay()).isZero());
        }
    }

    @Test
    void anUpstreamThatFallsSilentIsBrokenOffAfterTheIdleLimit() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    line.chunk(EVENT);
                    if (line.isLeft()) {
                        left.countDown();
                    }
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            assertThat(client.text(client.head().isChunked() ? EVENT.length() : 0))
                    .isEqualTo(EVENT);
            front.sweepAfter(Front.IDLE.minusSeconds(20));
            assertThat(client.textChunk()).isEqualTo(":\n\n");
            front.sweepAfter(Duration.ofSeconds(25));
            assertThatThrownBy(client::chunk).isInstanceOf(IOException.class);
            assertThat(left.await(10, TimeUnit.SECONDS)).isTrue();
            await().untilAsserted(() -> assertThat(front.outcomes())
                    .singleElement()
                    .satisfies(outcome -> assertThat(outcome).contains("the upstream sent nothing")));
        }
    }

    @Test
    void aSilentStreamGetsCommentsBetweenEventsOnly() throws Exception {
        LinkedBlockingQueue<String> script = new LinkedBlockingQueue<>();
        Duration silence = Front.COMMENT_AFTER.plusSeconds(1);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    for (String event = script.take(); !event.isEmpty(); event = script.take()) {
                        line.chunk(event);
                    }
                    line.send("0\r\n\r\n");
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.request("GET", "/mcp");
            client.head();
            front.sweepAfter(silence);
            assertThat(client.textChunk()).isEqualTo(":\n\n");
            front.sweepAfter(Duration.ofSeconds(1));
            script.add("data: half");
            assertThat(client.textChunk()).isEqualTo("data: half");
            front.sweepAfter(silence);
            script.add(" whole\n\n");
            assertThat(client.textChunk()).isEqualTo(" whole\n\n");
            front.sweepAfter(silence);
            assertThat(client.textChunk()).isEqualTo(":\n\n");
            script.add("");
            assertThat(client.chunk()).isEmpty();
        }
    }

    @Test
    void aStreamThatIsFinishedEndsInGoodOrderAfterTheEventThatItIsIn() throws Exception {
        CountDownLatch finished = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    line.chunk(EVENT + "data: half");
                    finished.await();
                    line.chunk(" whole\n\n" + EVENT);
                    if (line.isLeft()) {
                        left.countDown();
                    }
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.request("GET", "/mcp");
            Wire.Head head = client.head();
            client.text(EVENT.length() + 10);
            front.finishStreams();
            finished.countDown();
            assertThat(client.body(head)).isEqualTo(" whole\n\n");
            assertThat(left.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(front.underWay()).isZero();
        }
    }

    @Test
    void aStreamThatAnswersACallIsBrokenOffAtAStopAndNeverEndedAsIfItWereWhole() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    line.chunk(EVENT);
                    line.isLeft();
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            Wire.Head head = client.head();
            assertThat(client.text(EVENT.length())).isEqualTo(EVENT);
            front.finishStreams();
            assertThat(front.underWay()).as("the call goes on").isEqualTo(1);
            front.stopExchanges();
            assertThatThrownBy(() -> client.body(head)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aClientThatDoesNotReadStopsTheUpstream() throws Exception {
        long total = 192L << 20;
        AtomicLong written = new AtomicLong();
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.send("HTTP/1.1 200 OK\r\nContent-Length: " + total + "\r\n\r\n");
                    byte[] block = new byte[64 * 1024];
                    while (written.get() < total) {
                        line.send(block);
                        written.addAndGet(block.length);
                    }
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port(), 8 * 1024)) {
            client.post(CALL);
            Wire.Head head = client.head();
            AtomicLong before = new AtomicLong(-1);
            await().pollInterval(Duration.ofMillis(300)).until(() -> before.getAndSet(written.get()) == written.get());
            assertThat(written.get()).isLessThan(total / 4);
            assertThat(client.body(head)).hasSize((int) total);
            await().untilAsserted(() -> assertThat(front.outcomes()).containsExactly("none"));
        }
    }

    @Test
    void aClientThatNeverReadsOnIsBrokenOffAfterTheIdleLimit() throws Exception {
        AtomicLong written = new AtomicLong();
        AtomicBoolean left = new AtomicBoolean();
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    String event = "data: " + "x".repeat(60_000) + "\n\n";
                    try {
                        while (true) {
                            line.chunk(event);
                            written.addAndGet(event.length());
                        }
                    } catch (IOException e) {
                        left.set(true);
                    }
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port(), 8 * 1024)) {
            client.post(CALL);
            Wire.Head head = client.head();
            AtomicLong before = new AtomicLong(-1);
            await().pollInterval(Duration.ofMillis(300)).until(() -> before.getAndSet(written.get()) == written.get());
            front.sweepAfter(Front.IDLE.plusSeconds(1));
            await().untilTrue(left);
            await().untilAsserted(() -> assertThat(front.outcomes())
                    .singleElement()
                    .satisfies(outcome -> assertThat(outcome).contains("the client read nothing")));
            assertThatThrownBy(() -> client.body(head)).isInstanceOf(IOException.class);
            assertThat(front.underWay()).isZero();
        }
    }

    @Test
    void aClientThatLeavesMakesTheGatewayLeaveTheUpstream() throws Exception {
        AtomicBoolean left = new AtomicBoolean();
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    try {
                        while (true) {
                            line.chunk(EVENT);
                            TimeUnit.MILLISECONDS.sleep(5);
                        }
                    } catch (IOException e) {
                        left.set(true);
                    }
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            client.head();
            assertThat(client.textChunk()).startsWith(EVENT);
            client.leave();
            await().untilTrue(left);
            await().untilAsserted(() -> assertThat(front.outcomes()).containsExactly("none"));
            assertThat(front.underWay()).isZero();
        }
    }

    @Test
    void aClientThatLeavesASilentStreamIsNoticedByTheComments() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    if (line.isLeft()) {
                        left.countDown();
                    }
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.request("GET", "/mcp");
            client.head();
            client.leave();
            await().until(() -> {
                front.sweepAfter(Front.COMMENT_AFTER.plusSeconds(1));
                return left.getCount() == 0;
            });
            await().untilAsserted(() -> assertThat(front.outcomes()).containsExactly("none"));
        }
    }

    /** In the older era leaving is no cancellation by itself; Weir ends the exchange in both. */
    @ParameterizedTest
    @ValueSource(strings = {"Test-Modern: yes\r\n", "Mcp-Protocol-Version: 2025-11-25\r\n"})
    void aClientThatLeavesItsSilentCallMakesTheGatewayLeaveTheUpstream(String era) throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    line.chunk(EVENT);
                    if (line.isLeft()) {
                        left.countDown();
                    }
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL, era);
            client.head();
            assertThat(client.text(EVENT.length())).isEqualTo(EVENT);
            client.leave();
            await().until(() -> {
                front.sweepAfter(Front.COMMENT_AFTER.plusSeconds(1));
                return left.getCount() == 0;
            });
            await().untilAsserted(() -> assertThat(front.underWay()).isZero());
        }
    }

    @Test
    void aShutdownBreaksStreamsOff() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    line.head("text/event-stream");
                    line.chunk(EVENT);
                    line.isLeft();
                });
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            client.head();
            assertThat(client.text(EVENT.length())).isEqualTo(EVENT);
            front.stopExchanges();
            assertThatThrownBy(client::chunk).isInstanceOf(IOException.class);
        }
    }
}
