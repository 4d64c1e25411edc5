package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bodies of all requests together have a bound, whatever each of them may have. */
class BodyBudgetTest {

    private static final int BODY = 100_000;
    private static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

    @TempDir
    Path directory;

    private static String call() {
        String start = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"x\":\"";
        return start + "x".repeat(BODY - start.length() - 3) + "\"}}";
    }

    private static String head(String framing) {
        return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "
                + RunningWeir.K1 + "\r\n" + framing + "\r\n\r\n";
    }

    @Test
    void whatIsBeyondTheMemoryForBodiesIsToldToComeAgainAndMemoryComesBackWithEachEnd() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    answer.await();
                    line.json(200, RESULT);
                });
                RunningWeir weir = RunningWeir.start(
                        directory,
                        upstream.base(),
                        "mcp.max-body-bytes",
                        String.valueOf(BODY),
                        "mcp.max-buffered-bytes",
                        String.valueOf(3 * BODY))) {
            List<Wire> held = new ArrayList<>();
            for (int n = 0; n < 3; n++) {
                Wire wire = new Wire(weir.port());
                // Two that are in flight, and one that is still being sent.
                wire.send(head("Content-Length: " + BODY) + (n < 2 ? call() : "{"));
                held.add(wire);
            }
            await().untilAsserted(() -> assertThat(upstream.received()).hasSize(2));
            await().untilAsserted(() -> {
                for (String framing : List.of("Content-Length: " + BODY, "Transfer-Encoding: chunked")) {
                    try (Wire late = new Wire(weir.port())) {
                        late.send(head(framing));
                        late.send("186a0\r\n{");
                        Wire.Answer refusal = late.answer();
                        assertThat(refusal.status()).isEqualTo(503);
                        assertThat(refusal.body()).contains("no_room");
                        assertThat(refusal.head().values("Retry-After")).containsExactly("1");
                    }
                }
            });
            answer.countDown();
            assertThat(held.get(0).answer().body()).isEqualTo(RESULT);
            assertThat(held.get(1).answer().body()).isEqualTo(RESULT);
            held.get(2).leave();
            for (int n = 0; n < 20; n++) {
                await().untilAsserted(() -> {
                    try (Wire next = new Wire(weir.port())) {
                        next.send(head("Content-Length: " + BODY) + call());
                        assertThat(next.answer().body()).isEqualTo(RESULT);
                    }
                });
            }
            held.get(0).close();
            held.get(1).close();
        }
    }
}
