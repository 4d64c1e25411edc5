package dev.weir.app;

import static dev.weir.app.CircuitRig.FAILING;
import static dev.weir.app.CircuitRig.GOOD;
import static dev.weir.app.CircuitRig.LIST;
import static dev.weir.app.CircuitRig.RESULT;
import static dev.weir.app.CircuitRig.route;
import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What opens a circuit and what does not, and that no probe keeps its permit, on real sockets. */
@Timeout(60)
class CircuitTest {

    private static final String[] QUICK = {"first_byte_timeout_ms", "300", "idle_timeout_ms", "300"};

    @TempDir
    Path directory;

    /** How an upstream fails. */
    enum Bad implements StubUpstream.Behaviour {
        STATUS_503_IN_JSON("HTTP/1.1 503 X\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"),
        STATUS_500_AND_A_PAGE("HTTP/1.1 500 X\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p/>"),
        NO_ANSWER(""),
        NONSENSE("nonsense\r\n\r\n"),
        UNREADABLE_LENGTH("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"),
        SWITCHES_PROTOCOLS("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
        CUT_IN_A_SHORT_ANSWER("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"a"),
        CUT_IN_A_LONG_ANSWER("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n{\"a"),
        CUT_IN_AN_EVENT(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n"),
        SILENT_BEFORE_THE_HEAD(""),
        SILENT_IN_AN_ANSWER("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"a"),
        SILENT_IN_EVENTS(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n");

        private final String sent;

        Bad(String sent) {
            this.sent = sent;
        }

        String route() {
            return name().toLowerCase(Locale.ROOT);
        }

        @Override
        public void answer(StubUpstream.Received request, StubUpstream.Line line) throws IOException {
            line.send(sent);
            if (name().startsWith("SILENT")) {
                line.isLeft();
            } else if (!name().startsWith("STATUS")) {
                line.hangUp();
            }
        }
    }

    /** O53, O32: every way in which an upstream may fail, also after its answer has begun. */
    @Test
    void whateverAnUpstreamFailsByOpensTheCircuit() throws Exception {
        Stream<String> routes = Stream.of(Bad.values()).map(bad -> route(bad.route(), QUICK));
        Stream<String> nobody = Stream.of(route("nobody").replace("UPSTREAM", "http://127.0.0.1:1"));
        try (CircuitRig rig =
                CircuitRig.start(directory, Stream.concat(routes, nobody).toArray(String[]::new))) {
            List<Wire> wires = new ArrayList<>();
            for (Bad bad : Bad.values()) {
                rig.behave(bad.route(), bad);
                for (int n = 0; n < 5; n++) {
                    wires.add(rig.send(bad.route()));
                }
            }
            wires.forEach(CircuitRig::end);
            for (Bad bad : Bad.values()) {
                assertThat(rig.isOpen(bad.route())).as(bad.name()).isTrue();
                assertThat(rig.received(bad.route())).as(bad.name()).isEqualTo(5);
            }
            for (int n = 0; n < 5; n++) {
                assertThat(rig.call("nobody").body()).contains("backend_unavailable");
            }
            assertThat(rig.isOpen("nobody")).isTrue();
        }
    }

    /** O53, O20: what an upstream says of a request is no failure of its own. */
    @Test
    void whatAnUpstreamSaysOfARequestDoesNotOpenTheCircuit() throws Exception {
        List<String> answers = List.of(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n#"
                        + "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"x\"}}",
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n#"
                        + "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[],\"isError\":true}}",
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n#<p>nonsense</p>",
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n#data: {}\n\n",
                "HTTP/1.1 202 X\r\n#",
                "HTTP/1.1 302 X\r\nLocation: /login\r\n#",
                "HTTP/1.1 400 X\r\nContent-Type: application/json\r\n#{}",
                "HTTP/1.1 401 X\r\nWWW-Authenticate: Bearer\r\n#",
                "HTTP/1.1 403 X\r\n#",
                "HTTP/1.1 404 X\r\n#",
                "HTTP/1.1 429 X\r\nRetry-After: 1\r\nContent-Type: application/json\r\n#{}");
        try (CircuitRig rig = CircuitRig.start(directory, route("fine", "breaker_min_calls", "1"))) {
            for (String answer : answers) {
                String[] parts = answer.split("#", 2);
                rig.behave(
                        "fine",
                        (request, line) ->
                                line.send(parts[0] + "Content-Length: " + parts[1].length() + "\r\n\r\n" + parts[1]));
                Wire wire = rig.wire();
                for (int n = 0; n < 6; n++) {
                    wire.send(CircuitRig.post("fine", K1, LIST));
                    assertThat(wire.answer().body()).doesNotContain("circuit_open");
                }
            }
            assertThat(rig.received("fine")).isEqualTo(6L * answers.size());
            assertThat(rig.counted("fine", "failure")).isZero();
            assertThat(rig.counted("fine", "success")).isEqualTo(6.0 * answers.size());
        }
    }

    /** O51, O23: impatient clients, who leave before the answer or after its first event. */
    @Test
    void clientsThatLeaveDoNotOpenTheCircuit() throws Exception {
        Semaphore answering = new Semaphore(0);
        try (CircuitRig rig = CircuitRig.start(directory, route("slow"), route("events"))) {
            rig.behave("slow", (request, line) -> {
                answering.acquire();
                line.json(200, RESULT);
            });
            rig.behave("events", (request, line) -> {
                line.head("text/event-stream");
                while (true) {
                    line.chunk("data: {}\n\n");
                    Thread.sleep(20);
                }
            });
            List<Wire> waiting = new ArrayList<>();
            List<Wire> reading = new ArrayList<>();
            for (int n = 0; n < 50; n++) {
                waiting.add(rig.send("slow"));
                reading.add(rig.send("events"));
            }
            await().until(() -> rig.received("slow") == 50);
            for (Wire wire : waiting) {
                wire.leave();
            }
            for (Wire wire : reading) {
                assertThat(wire.head().status()).isEqualTo(200);
                wire.leave();
            }
            answering.release(51);
            await().untilAsserted(
                            () -> assertThat(rig.counted("events", "left")).isEqualTo(50));
            await().until(() -> rig.weir.probe("/health").contains("\"exchanges\":0,"));
            for (String name : List.of("slow", "events")) {
                assertThat(rig.counted(name, "failure")).as(name).isZero();
                assertThat(rig.state(name)).isEqualTo("closed");
            }
            assertThat(rig.call("slow").status()).isEqualTo(200);
        }
    }

    /** O39: on a connection that had been used before, nobody can tell a crash from a close of what was idle. */
    @Test
    void aConnectionThatWasClosedWhileIdleDoesNotOpenTheCircuit() throws Exception {
        AtomicInteger hungUp = new AtomicInteger();
        try (CircuitRig rig = CircuitRig.start(directory, route("closing", "breaker_failures", "1"))) {
            AtomicInteger calls = new AtomicInteger();
            rig.behave("closing", (request, line) -> {
                if (calls.incrementAndGet() % 2 == 0) {
                    hungUp.incrementAndGet();
                    line.hangUp();
                } else {
                    line.json(200, RESULT);
                }
            });
            for (int n = 0; n < 6; n++) {
                assertThat(rig.call("closing").status()).isEqualTo(200);
                Wire.Answer cut = rig.call("closing");
                assertThat(cut.status()).isEqualTo(502);
                assertThat(cut.body()).contains("backend_unavailable");
            }
            assertThat(hungUp).hasValue(6);
            assertThat(rig.counted("closing", "left")).isEqualTo(6);
            // The same on a fresh connection is a failure.
            rig.call("closing");
            rig.behave("closing", (request, line) -> line.hangUp());
            assertThat(rig.call("closing").status()).isEqualTo(502);
            assertThat(rig.call("closing").body()).contains("backend_unavailable");
            assertThat(rig.isOpen("closing")).isTrue();
            assertThat(rig.counted("closing", "failure")).isEqualTo(1);
        }
    }

    @Test
    void callsThatWereNeverSentDoNotOpenTheCircuit() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        try (CircuitRig rig = CircuitRig.start(directory, route("narrow", "max_connections", "1", "max_queued", "0"))) {
            rig.behave("narrow", (request, line) -> {
                goOn.await();
                line.json(200, RESULT);
            });
            Wire first = rig.send("narrow");
            await().until(() -> rig.received("narrow") == 1);
            for (int n = 0; n < 6; n++) {
                assertThat(rig.call("narrow").body()).contains("backend_unavailable");
            }
            goOn.countDown();
            assertThat(first.answer().status()).isEqualTo(200);
            assertThat(rig.counted("narrow", "left")).isEqualTo(6);
            assertThat(rig.state("narrow")).isEqualTo("closed");
        }
    }

    /** O50: however the one probe ends that is allowed, another one gets its chance after one more rest at most. */
    @Test
    void noProbeKeepsItsPermitHoweverItEnds() throws Exception {
        List<String> routes =
                List.of("not_found", "left", "left_hanging", "hanging", "undecodable", "throttled", "banned");
        List<String> edits = new ArrayList<>();
        for (String name : routes) {
            edits.add(route(
                    name,
                    "breaker_failures",
                    "1",
                    "breaker_open_seconds",
                    "1",
                    "breaker_probes",
                    "1",
                    "first_byte_timeout_ms",
                    name.contains("hanging") ? "500" : "60000"));
        }
        edits.add("UPDATE tool_tier SET rate_per_second = 0.001, burst = 1, cooldown_seconds = 0 WHERE name = 'heavy'");
        edits.add(
                "INSERT INTO tool (route, name, tier) VALUES ('/throttled', 'T1', 'heavy'), ('/banned', 'T1', 'heavy')");
        edits.add("INSERT INTO setting (name, content) VALUES ('ban.count', 'every')");
        try (CircuitRig rig = CircuitRig.start(directory, edits.toArray(String[]::new))) {
            long rested = 0;
            for (String name : routes) {
                rig.behave(name, FAILING);
                assertThat(rig.call(name).status()).isGreaterThanOrEqualTo(500);
                // The last tokens of the tool go here, so that the probe will be refused.
                rig.send(name, K1, RunningWeir.call(1, "T1")).answer();
                rested = rig.restUntil(name);
            }
            CircuitRig.sleepUntil(rested);
            probe(rig, "not_found", (request, line) -> line.json(404, "{}"), true);
            probe(
                    rig,
                    "undecodable",
                    (request, line) -> line.send("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"),
                    true);
            probe(rig, "hanging", (request, line) -> line.isLeft(), true);
            probe(rig, "left_hanging", (request, line) -> line.isLeft(), false);
            probe(
                    rig,
                    "left",
                    (request, line) -> {
                        Thread.sleep(100);
                        line.json(200, RESULT);
                    },
                    false);
            assertThat(rig.send("throttled", K1, RunningWeir.call(1, "T1"))
                            .answer()
                            .body())
                    .contains("rate limit exceeded");
            for (int n = 0; n < 6; n++) {
                rig.send("banned", K1, RunningWeir.call(1, "T1")).answer();
            }
            assertThat(rig.send("banned", K1, RunningWeir.call(1, "T1"))
                            .answer()
                            .body())
                    .contains("is banned");
            for (String name : routes) {
                rig.behave(name, GOOD);
            }
            // Refused calls were no probes, so the next call is one at once.
            assertThat(rig.send("throttled", K2, LIST).answer().status()).isEqualTo(200);
            assertThat(rig.send("banned", K2, LIST).answer().status()).isEqualTo(200);
            for (String name : routes) {
                if (rig.isOpen(name)) {
                    CircuitRig.sleepUntil(rig.restUntil(name));
                }
                assertThat(rig.call(name).status()).as(name).isEqualTo(200);
                assertThat(rig.state(name)).as(name).isEqualTo("closed");
            }
        }
    }

    private static void probe(CircuitRig rig, String name, StubUpstream.Behaviour behaviour, boolean stays)
            throws Exception {
        rig.behave(name, behaviour);
        Wire wire = rig.send(name);
        await().until(() -> rig.received(name) == 2);
        if (stays) {
            assertThat(wire.answer().status()).as(name).isNotEqualTo(200);
        } else {
            wire.leave();
        }
        await().untilAsserted(() -> assertThat(rig.weir.probe("/health")).contains("\"exchanges\":0,"));
    }

    /** O52: at the moment when the rest is over. */
    @Test
    void of500CallsAtOnceOnlyTheProbesComeToAnUpstreamThatHangs() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        try (CircuitRig rig = CircuitRig.start(directory, route("weak", "breaker_open_seconds", "1"))) {
            rig.behave("weak", FAILING);
            for (int n = 0; n < 5; n++) {
                rig.run("weak");
            }
            long rested = rig.restUntil("weak");
            rig.behave("weak", (request, line) -> {
                goOn.await();
                line.json(200, RESULT);
            });
            List<Wire> wires = new ArrayList<>();
            for (int n = 0; n < 500; n++) {
                wires.add(rig.wire());
            }
            CircuitRig.sleepUntil(rested);
            for (Wire wire : wires) {
                wire.send(CircuitRig.post("weak", K1, LIST));
            }
            await().until(() -> Scrape.of(rig.weir).value("weir_breaker_rejected_total{route=\"/weak\"}") >= 499);
            assertThat(rig.received("weak")).isEqualTo(5 + 2);
            assertThat(rig.state("weak")).isEqualTo("half_open");
            goOn.countDown();
            int served = 0;
            for (Wire wire : wires) {
                Wire.Answer answer = wire.answer();
                if (answer.status() == 200) {
                    served++;
                } else {
                    assertThat(answer.head().values("Retry-After")).containsExactly("1");
                    assertThat(answer.body()).contains("\"circuit_open\"");
                }
            }
            assertThat(served).isEqualTo(2);
            assertThat(rig.state("weak")).isEqualTo("closed");
            assertThat(Scrape.of(rig.weir).value("weir_decisions_total{decision=\"throttle\",level=\"channel\"}"))
                    .isZero();
        }
    }
}
