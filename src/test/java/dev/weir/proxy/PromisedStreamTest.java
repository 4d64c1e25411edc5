package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Modern calls whose answers take long: a stream is begun for them, which finds out who has left. */
class PromisedStreamTest {

    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":\"x-7\",\"method\":\"tools/call\"}";
    private static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":\"x-7\",\"result\":{\"a\":[1,2]}}";
    private static final String[] MODERN = {
        "Test-Modern: yes\r\n", "Accept: application/json\r\n", "Accept: text/event-stream\r\n"
    };
    private static final Duration LONG = Front.COMMENT_AFTER.plusSeconds(1);
    private static final String COMMENT = ":\n\n";

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);

    /** Answers when it is told to. */
    private StubUpstream.Behaviour late(StubUpstream.Behaviour then) {
        return (request, line) -> {
            asked.countDown();
            answer.await();
            then.answer(request, line);
        };
    }

    private Wire.Head begun(Front front, Wire client) throws Exception {
        client.post(CALL, MODERN);
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        front.sweepAfter(LONG);
        Wire.Head head = client.head();
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.values("Content-Type")).containsExactly("text/event-stream");
        return head;
    }

    @Test
    void aClientThatLeavesBeforeTheAnswerHasCancelledTheCall() throws Exception {
        // O23
        CountDownLatch cancelled = new CountDownLatch(1);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    asked.countDown();
                    if (line.isLeft()) {
                        cancelled.countDown();
                    }
                });
                Front front = Front.to(upstream.base())) {
            Wire client = new Wire(front.port());
            client.post(CALL, MODERN);
            assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
            client.leave();
            await().untilAsserted(() -> {
                front.sweepAfter(LONG);
                assertThat(front.underWay()).isZero();
            });
            assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aLateAnswerOfJsonIsTheOneEventOfTheStream() throws Exception {
        String pretty = RESULT.replace(",", ",\r\n  ");
        try (StubUpstream upstream = new StubUpstream(late((request, line) -> line.json(200, pretty)));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            Wire.Head head = begun(front, client);
            front.sweepAfter(LONG);
            assertThat(client.textChunk()).isEqualTo(COMMENT);
            answer.countDown();
            assertThat(client.body(head)).isEqualTo("event: message\ndata: " + pretty.replace("\r\n", "  ") + "\n\n");
            // The connection goes on.
            client.post(CALL, MODERN);
            assertThat(client.answer().body()).isEqualTo(pretty);
            assertThat(upstream.received().get(0).values("Accept-Encoding")).containsExactly("identity");
        }
    }

    @Test
    void aLateLongAnswerComesPieceByPieceAndWhole() throws Exception {
        String longResult = RESULT.replace("1,2", "1," + "\"" + "x".repeat(3_000_000) + "\"");
        try (StubUpstream upstream = new StubUpstream(late((request, line) -> line.json(200, longResult)));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            Wire.Head head = begun(front, client);
            answer.countDown();
            assertThat(client.body(head)).isEqualTo("event: message\ndata: " + longResult + "\n\n");
        }
    }

    @Test
    void aLateStreamGoesThroughAsItIs() throws Exception {
        String events = "id: 1\nevent: message\ndata: {\"progress\":1}\n\nevent: message\ndata: " + RESULT + "\n\n";
        try (StubUpstream upstream = new StubUpstream(late((request, line) -> {
                    line.head("text/event-stream; charset=utf-8");
                    line.chunk(events.substring(0, 30));
                    line.chunk(events.substring(30));
                    line.send("0\r\n\r\n");
                }));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            Wire.Head head = begun(front, client);
            answer.countDown();
            assertThat(client.body(head)).isEqualTo(events);
        }
    }

    @Test
    void aLateErrorOfJsonIsAnEventToo() throws Exception {
        String error = "{\"jsonrpc\":\"2.0\",\"id\":\"x-7\",\"error\":{\"code\":-32601,\"message\":\"no\"}}";
        try (StubUpstream upstream = new StubUpstream(late((request, line) -> line.json(404, error)));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            Wire.Head head = begun(front, client);
            answer.countDown();
            assertThat(client.body(head)).isEqualTo("event: message\ndata: " + error + "\n\n");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "200 OK\r\nContent-Type: text/html",
                "200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip",
                "200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: br",
                "302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Type: application/json",
                "401 Unauthorized\r\nContent-Type: application/json",
                "202 Accepted"
            })
    void aLateAnswerThatIsNoneIsAnErrorWithTheCallersId(String head) throws Exception {
        StubUpstream.Behaviour nonsense =
                (request, line) -> line.send("HTTP/1.1 " + head + "\r\nContent-Length: 5\r\n\r\nwrong");
        try (StubUpstream upstream = new StubUpstream(late(nonsense));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            Wire.Head begun = begun(front, client);
            answer.countDown();
            assertThat(client.body(begun))
                    .startsWith("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"x-7\",\"error\":{\"code\":502,")
                    .endsWith("}\n\n")
                    .doesNotContain("wrong");
            await().untilAsserted(() -> assertThat(front.outcomes())
                    .singleElement()
                    .satisfies(outcome -> assertThat(outcome).contains("the upstream answered")));
        }
    }

    @Test
    void anUpstreamThatNeverAnswersIsAnErrorWithTheCallersId() throws Exception {
        try (StubUpstream upstream = new StubUpstream(late((request, line) -> line.hangUp()));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            Wire.Head head = begun(front, client);
            front.sweepAfter(Front.FIRST_BYTE);
            assertThat(client.body(head)).contains("\"id\":\"x-7\"").contains("\"code\":504");
            await().untilAsserted(() -> assertThat(front.underWay()).isZero());
        }
    }

    @Test
    void aStopIsToldOnAPromisedStreamAndNoCleanEndWithoutAnAnswer() throws Exception {
        try (StubUpstream upstream = new StubUpstream(late((request, line) -> line.hangUp()));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            Wire.Head head = begun(front, client);
            front.finishStreams();
            assertThat(front.underWay()).as("the call goes on").isEqualTo(1);
            front.stopExchanges();
            assertThat(client.body(head)).contains("\"id\":\"x-7\"").contains("\"code\":503");
        }
    }

    @Test
    void anUpstreamThatDiesInALateAnswerIsSeenByTheClient() throws Exception {
        try (StubUpstream upstream = new StubUpstream(late((request, line) -> {
                    line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
                    line.hangUp();
                }));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            Wire.Head head = begun(front, client);
            answer.countDown();
            assertThatThrownBy(() -> client.body(head)).isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Accept: application/json, text/event-stream\r\n", "Test-Modern: yes\r\n"})
    void whoIsOfAnOlderEraOrTakesNoEventsIsAnsweredByJson(String only) throws Exception {
        try (StubUpstream upstream = new StubUpstream(late((request, line) -> line.json(200, RESULT)));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL, only);
            assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
            front.sweepAfter(LONG);
            answer.countDown();
            Wire.Answer whole = client.answer();
            assertThat(whole.head().values("Content-Type")).containsExactly("application/json");
            assertThat(whole.body()).isEqualTo(RESULT);
        }
    }
}
