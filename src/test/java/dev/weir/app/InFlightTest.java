package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that take their time: slots that come back exactly once, and tokens that are waited for. */
@Timeout(60)
class InFlightTest {

    private static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}";

    @TempDir
    Path directory;

    private final Semaphore goOn = new Semaphore(0);
    private final Semaphore pace = new Semaphore(0);
    private final List<Wire> wires = new ArrayList<>();
    private volatile StubUpstream.Behaviour ending = (request, line) -> line.json(200, RESULT);
    private @Nullable StubUpstream upstream;
    private @Nullable RunningWeir weir;

    private void start(String... edits) throws Exception {
        upstream = new StubUpstream((request, line) -> {
            goOn.acquire();
            ending.answer(request, line);
        });
        weir = RunningWeir.startWith(List.of(edits), directory, upstream.base());
    }

    @AfterEach
    void stop() throws IOException {
        for (Wire wire : wires) {
            wire.close();
        }
        if (weir != null) {
            weir.close();
        }
        if (upstream != null) {
            upstream.close();
        }
    }

    private RunningWeir weir() {
        return Objects.requireNonNull(weir);
    }

    private StubUpstream upstream() {
        return Objects.requireNonNull(upstream);
    }

    /** Sends a call on a connection of its own. */
    private Wire send(String key) throws IOException {
        Wire wire = weir().wire();
        wires.add(wire);
        wire.send(post(key, call(1, "T1")));
        return wire;
    }

    private void awaitAtUpstream(int calls) {
        await().untilAsserted(() -> assertThat(upstream().received()).hasSize(calls));
    }

    private static String slots(int most) {
        return "UPDATE tool_tier SET rate_per_second = 1000, burst = 1000, cooldown_seconds = 0, max_concurrent = "
                + most + " WHERE name = 'heavy'";
    }

    /** How a call may end. */
    enum End {
        RESULT,
        ERROR_STATUS,
        HANG_UP,
        BROKEN_BODY,
        BROKEN_STREAM,
        EVENTS
    }

    @ParameterizedTest
    @EnumSource
    void aSlotComesBackExactlyOnceHoweverTheCallEnds(End end) throws Exception {
        start(slots(2));
        ending = (request, line) -> {
            switch (end) {
                case RESULT -> line.json(200, RESULT);
                case ERROR_STATUS -> line.json(500, "{}");
                case HANG_UP -> line.hangUp();
                case BROKEN_BODY -> {
                    line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n{\"a");
                    line.hangUp();
                }
                case BROKEN_STREAM -> {
                    line.head("text/event-stream");
                    line.chunk("data: {}\n\n");
                    line.hangUp();
                }
                case EVENTS -> {
                    line.head("text/event-stream");
                    line.chunk("data: " + RESULT + "\n\n");
                    line.send("0\r\n\r\n");
                }
            }
        };
        int atUpstream = 0;
        for (int round = 0; round < 3; round++) {
            Wire first = send(K1);
            Wire second = send(K1);
            atUpstream += 2;
            awaitAtUpstream(atUpstream);
            assertThat(send(K1).answer().body())
                    .contains("\"level\":\"concurrency\"")
                    .contains("\"maxConcurrent\":2")
                    .contains("[T1] is running for you already, as often at a time as it may (2).")
                    .doesNotContain("retryAfterMs");
            goOn.release(2);
            awaitEnd(first);
            awaitEnd(second);
            // What the client has seen ends a moment before the exchange does.
            await().until(this::slotIsFree);
            atUpstream += 1;
        }
    }

    /** Whether one more call is let in; if so, it is over when this returns. */
    private boolean slotIsFree() throws IOException {
        StubUpstream.Behaviour before = ending;
        ending = (request, line) -> line.json(200, RESULT);
        goOn.release();
        boolean free = send(K1).answer().body().contains("\"result\"");
        if (!free) {
            goOn.acquireUninterruptibly();
        }
        ending = before;
        return free;
    }

    private static void awaitEnd(Wire wire) {
        try {
            var unused = wire.answer();
        } catch (IOException | RuntimeException e) {
            // Broken off, as the upstream did.
        }
    }

    @Test
    void aClientThatLeavesGivesItsSlotBack() throws Exception {
        start(slots(1), "INSERT INTO setting (name, content) VALUES ('ban.threshold', '1000')");
        ending = (request, line) -> {
            line.head("text/event-stream");
            for (int i = 0; i < 10_000 && !Thread.currentThread().isInterrupted(); i++) {
                line.chunk("data: {\"n\":" + i + "}\n\n");
                var unused = pace.tryAcquire(20, TimeUnit.MILLISECONDS);
            }
        };
        goOn.release();
        Wire streaming = send(K1);
        assertThat(streaming.head().status()).isEqualTo(200);
        assertThat(send(K1).answer().body()).contains("concurrency");
        streaming.close();
        await().atMost(Duration.ofSeconds(10)).until(this::slotIsFree);
    }

    /** What is sent ahead is read when its turn comes, whether it was in before the call began to wait or came after. */
    @Test
    void whatAClientSendsAheadWhileItsCallRunsIsServedInTurn() throws Exception {
        start(slots(2));
        Wire wire = weir().wire();
        wires.add(wire);
        for (int round = 0; round < 20; round++) {
            int before = round * 3;
            wire.send(post(K1, call(1, "T1")));
            awaitAtUpstream(before + 1);
            String second = post(K1, call(2, "T1"));
            wire.send(second.substring(0, 1 + round));
            wire.send(second.substring(1 + round) + post(K1, call(3, "T1")));
            goOn.release(3);
            for (int i = 0; i < 3; i++) {
                assertThat(wire.answer().body()).isEqualTo(RESULT);
            }
            awaitAtUpstream(before + 3);
        }
        assertThat(upstream().received())
                .extracting(StubUpstream.Received::body)
                .startsWith(call(1, "T1"), call(2, "T1"), call(3, "T1"));
    }

    /** Who has its answer may call again: the slot is free before the answer is there. */
    @ParameterizedTest
    @ValueSource(ints = {40, 100_000})
    void aClientThatCallsOneAfterTheOtherNeedsOneSlot(int answerLength) throws Exception {
        start(
                slots(1),
                "INSERT INTO setting (name, content) VALUES ('channel.requests_per_second', '100000')",
                "INSERT INTO setting (name, content) VALUES ('channel.burst', '1000')");
        String answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"" + "x".repeat(answerLength) + "\"}}";
        ending = (request, line) -> line.json(200, answer);
        goOn.release(1_000);
        Wire wire = weir().wire();
        wires.add(wire);
        for (int i = 0; i < 300; i++) {
            wire.send(post(K1, call(1, "T1")));
            assertThat(wire.answer().body()).as("call %s", i).startsWith("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\"");
        }
    }

    @Test
    void aFullToolIsAStrikeAndOtherClientsHaveSlotsOfTheirOwn() throws Exception {
        start(slots(1));
        Wire first = send(K1);
        awaitAtUpstream(1);
        assertThat(send(K1).answer().body()).contains("\"strikes\":1");
        Wire other = send(K2);
        awaitAtUpstream(2);
        goOn.release(2);
        assertThat(first.answer().body()).contains("\"result\"");
        assertThat(other.answer().body()).contains("\"result\"");
    }

    @Test
    void aCallWaitsForItsTokenAndThenRuns() throws Exception {
        start("UPDATE tool_tier SET rate_per_second = 4, burst = 1, cooldown_seconds = 0, max_wait_ms = 600"
                + " WHERE name = 'heavy'");
        goOn.release(100);
        long begun = System.nanoTime();
        List<Wire> patient = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            patient.add(send(K1));
            int calls = i;
            // The first two of these are in when the next one comes, so that the order is known.
            if (calls == 0) {
                awaitAtUpstream(1);
            }
        }
        for (Wire wire : patient) {
            assertThat(wire.answer().body()).contains("\"result\"");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(500));
        List<Wire> many = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            many.add(send(K1));
        }
        int refused = 0;
        for (Wire wire : many) {
            refused += wire.answer().body().contains("-32029") ? 1 : 0;
        }
        assertThat(refused)
                .as("two find a place within the wait, and more only as time goes by")
                .isBetween(1, 8);
    }

    /** Case O30: one token a call, whatever way the call ends. */
    @ParameterizedTest
    @EnumSource
    void oneTokenACallHoweverItEnds(End end) throws Exception {
        start(
                "UPDATE tool_tier SET rate_per_second = 0.001, burst = 10, cooldown_seconds = 0 WHERE name = 'heavy'",
                "UPDATE route SET breaker_enabled = FALSE");
        ending = (request, line) -> {
            switch (end) {
                case RESULT, BROKEN_BODY -> line.json(200, RESULT);
                case ERROR_STATUS -> line.json(500, "{}");
                case HANG_UP -> line.hangUp();
                case BROKEN_STREAM -> {
                    line.head("text/event-stream");
                    line.chunk("data: {}\n\n");
                    line.hangUp();
                }
                case EVENTS -> {
                    line.head("text/event-stream");
                    line.chunk("data: " + RESULT + "\n\n");
                    line.send("0\r\n\r\n");
                }
            }
        };
        goOn.release(100);
        for (int i = 0; i < 10; i++) {
            Wire wire = send(K1);
            Wire.Head head = wire.head();
            assertThat(head.values("X-RateLimit-Remaining")).as("call %s", i).containsExactly(Integer.toString(9 - i));
        }
        awaitAtUpstream(10);
        assertThat(send(K1).answer().body()).contains("-32029");
    }
}
