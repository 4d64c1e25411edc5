package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.web.RequestLog;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that closes its connection as soon as it has its answer has been served, and is told of so in the log. */
class ShortConnectionsTest {

    private static final int CALLS = 300;

    @TempDir
    Path directory;

    private StubUpstream upstream;
    private RunningWeir weir;
    private LogLines lines;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
        weir = RunningWeir.startWith(
                List.of("UPDATE tool_tier SET mode = 'off'"),
                directory,
                upstream.base(),
                "mcp.rate-limit.requests-per-second",
                "100000",
                "mcp.rate-limit.burst-size",
                "100000");
        lines = new LogLines(RequestLog.class);
    }

    @AfterEach
    void stop() throws IOException {
        lines.close();
        weir.close();
        upstream.close();
    }

    @Test
    void callsThatAreLetOnEndWell() throws Exception {
        for (int i = 0; i < CALLS; i++) {
            try (Wire wire = weir.wire()) {
                wire.send(post(K1, call(i, "T1")));
                assertThat(wire.answer().body()).contains("\"result\"");
            }
        }
        expectEnds("200");
    }

    @Test
    void callsThatAreRefusedAreEachToldOf() throws Exception {
        for (int i = 0; i < CALLS; i++) {
            try (Wire wire = weir.wire()) {
                wire.send("POST /nowhere HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1
                        + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
                assertThat(wire.answer().status()).isEqualTo(404);
            }
        }
        expectEnds("404");
    }

    private void expectEnds(String status) {
        await().until(() -> lines.of("request_end").size() >= CALLS);
        assertThat(lines.of("request_end"))
                .hasSize(CALLS)
                .extracting(line -> LogLines.field(line, "status_code"))
                .containsOnly(status);
        assertThat(lines.of("request_error")).isEmpty();
    }
}
