package dev.weir.app;

import static dev.weir.app.CircuitRig.FAILING;
import static dev.weir.app.CircuitRig.GOOD;
import static dev.weir.app.CircuitRig.route;
import static dev.weir.app.RunningWeir.K1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.upstream.Breaker;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Circuits where answers stay open, clients do not read, Weir stops, or nobody speaks MCP. */
@Timeout(60)
class CircuitAndStreamsTest {

    @TempDir
    Path directory;

    private static Wire get(CircuitRig rig, String path) throws IOException {
        Wire wire = rig.wire();
        wire.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1
                + "\r\nAccept: text/event-stream\r\n\r\n");
        return wire;
    }

    @Test
    void anOpenCircuitCutsNoStreamAndRefusesTheMessagesOfLegacyClientsToo() throws Exception {
        try (CircuitRig rig = CircuitRig.start(directory, route("legacy"))) {
            rig.behave("legacy", (request, line) -> {
                line.head("text/event-stream");
                line.chunk("event: endpoint\ndata: /messages\n\n");
                line.isLeft();
            });
            rig.behave("messages", FAILING);
            Wire stream = get(rig, "/legacy");
            assertThat(stream.head().status()).isEqualTo(200);
            String event = stream.textChunk();
            String address = event.substring(event.indexOf("data: ") + 6).strip();
            assertThat(rig.counted("legacy", "success")).isEqualTo(1);
            for (int n = 0; n < 5; n++) {
                assertThat(rig.send(address.substring(1), K1, CircuitRig.LIST)
                                .answer()
                                .body())
                        .doesNotContain("circuit_open");
            }
            Wire.Answer refused =
                    rig.send(address.substring(1), K1, CircuitRig.LIST).answer();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.body()).contains("\"code\":503", "\"circuit_open\"", "[/legacy]");
            // The stream is still there: of its exchanges it is the one that is under way.
            assertThat(rig.weir.probe("/health")).contains("\"exchanges\":1,");
        }
    }

    @Test
    void manyStreamsThatBreakAtOnceAreFailures() throws Exception {
        try (CircuitRig rig = CircuitRig.start(directory, route("streams"))) {
            rig.behave("streams", (request, line) -> {
                line.head("text/event-stream");
                line.chunk("data: {}\n\n");
                await().until(() -> rig.received("streams") == 5);
                line.hangUp();
            });
            List<Wire> streams = new ArrayList<>();
            for (int n = 0; n < 5; n++) {
                streams.add(get(rig, "/streams"));
            }
            streams.forEach(CircuitRig::end);
            assertThat(rig.counted("streams", "success")).isEqualTo(5);
            assertThat(rig.counted("streams", "failure")).isEqualTo(5);
            assertThat(rig.isOpen("streams")).isTrue();
        }
    }

    @Test
    void clientsThatDoNotReadDoNotOpenTheCircuit() throws Exception {
        try (CircuitRig rig = CircuitRig.start(directory, route("flood", "idle_timeout_ms", "300"))) {
            String much = "data: " + "x".repeat(64 * 1024) + "\n\n";
            rig.behave("flood", (request, line) -> {
                line.head("text/event-stream");
                while (true) {
                    line.chunk(much);
                }
            });
            for (int n = 0; n < 6; n++) {
                rig.send("flood");
            }
            await().untilAsserted(() -> assertThat(rig.counted("flood", "left")).isEqualTo(6));
            assertThat(rig.counted("flood", "failure")).isZero();
            rig.behave("flood", GOOD);
            assertThat(rig.call("flood").status()).isEqualTo(200);
        }
    }

    @Test
    void aTimeInAllCountsAgainstTheUpstreamUnlessItWaitsForItsClient() throws Exception {
        String[] half = {"kind", "'http'", "total_timeout_ms", "500"};
        try (CircuitRig rig = CircuitRig.start(directory, route("trickle", half), route("unread", half))) {
            rig.behave("trickle", (request, line) -> {
                line.head("text/plain");
                while (true) {
                    line.chunk("x");
                    Thread.sleep(50);
                }
            });
            String much = "x".repeat(64 * 1024);
            rig.behave("unread", (request, line) -> {
                line.head("text/plain");
                while (true) {
                    line.chunk(much);
                }
            });
            for (int n = 0; n < 6; n++) {
                get(rig, "/trickle");
                get(rig, "/unread");
            }
            await().untilAsserted(
                            () -> assertThat(rig.counted("trickle", "failure")).isEqualTo(6));
            await().untilAsserted(
                            () -> assertThat(rig.counted("unread", "left")).isEqualTo(6));
            assertThat(rig.state("trickle")).isEqualTo("open");
            assertThat(rig.state("unread")).isEqualTo("closed");
        }
    }

    @Test
    void clientsThatBreakTheirBodiesOffDoNotOpenTheCircuit() throws Exception {
        try (CircuitRig rig = CircuitRig.start(directory, route("upload", "kind", "'http'"))) {
            for (int n = 0; n < 6; n++) {
                Wire wire = rig.wire();
                wire.send("POST /upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1
                        + "\r\nContent-Length: 1000\r\n\r\nhalf");
                await().until(() -> rig.weir.probe("/health").contains("\"exchanges\":1,"));
                wire.leave();
                await().until(() -> rig.weir.probe("/health").contains("\"exchanges\":0,"));
            }
            assertThat(rig.counted("upload", "left")).isEqualTo(6);
            assertThat(rig.state("upload")).isEqualTo("closed");
        }
    }

    @Test
    void aStopIsNoFailureOfAnybody() throws Exception {
        try (LogLines log = new LogLines(Breaker.class)) {
            try (CircuitRig rig = CircuitRig.start(directory, route("hanging"))) {
                rig.behave("hanging", (request, line) -> line.isLeft());
                for (int n = 0; n < 6; n++) {
                    rig.send("hanging");
                }
                await().until(() -> rig.received("hanging") == 6);
                rig.weir.close();
            }
            assertThat(log.of("breaker_opened")).isEmpty();
        }
    }

    @Test
    void onARouteOfKindHttpTheAnswerIsPlain() throws Exception {
        try (CircuitRig rig = CircuitRig.start(directory, route("plain", "kind", "'http'", "error_mode", "'pass'"))) {
            rig.behave("plain", FAILING);
            for (int n = 0; n < 5; n++) {
                assertThat(get(rig, "/plain").answer().body()).isEqualTo("{\"a\":1}");
            }
            Wire.Answer refused = get(rig, "/plain").answer();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.head().values("Retry-After")).hasSize(1);
            assertThat(refused.head().values("Content-Type")).containsExactly("application/json");
            assertThat(refused.body())
                    .startsWith("{\"error\":\"circuit_open\",\"route\":\"/plain\",\"retryAfterMs\":")
                    .doesNotContain("jsonrpc");
        }
    }
}
