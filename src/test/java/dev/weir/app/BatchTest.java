package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Cases O01 and O02: arrays of messages, on a route that refuses them and on one that judges them as a whole. */
@Timeout(60)
class BatchTest {

    private static final String ANSWERS = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]";
    private static final String NOTIFICATION = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
    private static final String RESPONSE = "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"result\":{}}";

    @TempDir
    Path directory;

    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.json(200, ANSWERS));
        weir = RunningWeir.startWith(
                List.of(
                        "UPDATE route SET batch = 'judge'",
                        "INSERT INTO route (prefix, upstream_url) SELECT '/plain', upstream_url FROM route",
                        "INSERT INTO route (prefix, upstream_url, batch) VALUES ('/away', 'http://127.0.0.1:1', 'judge')",
                        "INSERT INTO tool_tier (name, rate_per_second, burst, max_concurrent) VALUES ('two', 1, 9, 2)",
                        "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'FEW', 'two')",
                        "INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('slow', 0.001, 5)",
                        "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'SLOW', 'slow')",
                        "INSERT INTO tool (route, name, tier, enabled) VALUES ('/mcp', 'OFF', 'slow', FALSE)"),
                directory,
                upstream.base());
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    private static String batch(String... messages) {
        return "[" + String.join(",", messages) + "]";
    }

    private static String calls(int from, int to, String tool) {
        return IntStream.rangeClosed(from, to).mapToObj(id -> call(id, tool)).collect(Collectors.joining(","));
    }

    private Wire.Answer send(String body, String... more) throws Exception {
        return sendTo("/mcp", body, more);
    }

    private Wire.Answer sendTo(String path, String body, String... more) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, body, more).replaceFirst("POST /mcp ", "POST " + path + " "));
            return wire.answer();
        }
    }

    private static void assertRefused(Wire.Answer answer, int status, int code, int errors) {
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
        assertThat(answer.body()).startsWith("[{").endsWith("}]").doesNotContain("\"result\"");
        assertThat(answer.body().split("\"code\":" + code + ",", -1)).hasSize(errors + 1);
    }

    @Test
    void byDefaultABatchIsRefusedWhole() throws Exception {
        for (String body : List.of(batch(call(1, "T1")), batch(NOTIFICATION, call(1, "T1")))) {
            Wire.Answer answer = sendTo("/plain", body);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.body()).startsWith("{").contains("\"code\":-32600", "\"id\":null");
        }
        assertThat(upstream.received()).isEmpty();
    }

    @Test
    void aJudgedBatchGoesUpAsItCameAndEachOfItsCallsIsCharged() throws Exception {
        String body = " [ " + calls(1, 3, "T1") + " ,\n" + NOTIFICATION + "," + RESPONSE + "]\n";
        Wire.Answer answer = send(body, "MCP-Protocol-Version: 2025-03-26\r\n");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(ANSWERS);
        assertThat(answer.head().values("X-RateLimit-Remaining")).containsExactly("2");
        assertThat(upstream.received())
                .singleElement()
                .satisfies(request -> assertThat(request.body()).isEqualTo(body));
    }

    @Test
    void aBatchIsAdmittedAllOrNone() throws Exception {
        assertThat(send(batch(calls(1, 3, "T1"))).status()).isEqualTo(200);
        Wire.Answer refused = send(batch(calls(4, 5, "T1"), call(6, "T1"), NOTIFICATION, call(7, "other")));
        assertRefused(refused, 200, -32029, 4);
        assertThat(refused.body()).contains("\"id\":4", "\"id\":5", "\"id\":6", "\"id\":7", "\"strikes\":1");
        assertThat(refused.head().values("Retry-After")).hasSize(1);
        assertThat(upstream.received()).hasSize(1);
    }

    @Test
    void whatNeverFitsIsSaidToNeverFit() throws Exception {
        Wire.Answer refused = send(batch(calls(1, 6, "T1")));
        assertRefused(refused, 400, -32600, 6);
        assertThat(refused.body()).contains("a cost of 6 never fits into a burst of 5");
        Wire.Answer atOnce = send(batch(calls(1, 3, "FEW")));
        assertRefused(atOnce, 400, -32600, 3);
        assertThat(atOnce.body()).contains("3 calls at a time are never let into a max_concurrent of 2");
        assertThat(send(batch(calls(1, 2, "FEW"))).status()).isEqualTo(200);
        assertThat(send(batch(calls(1, 5, "T1"))).status())
                .as("nothing was charged")
                .isEqualTo(200);
    }

    @Test
    void aBatchIsOneStrikeAndAllOfABannedOnesRequestsAreTold() throws Exception {
        assertThat(send(batch(calls(1, 5, "SLOW"))).status()).isEqualTo(200);
        for (int strike = 1; strike <= 5; strike++) {
            assertRefused(send(batch(calls(1, 5, "SLOW"))), 200, -32029, 5);
        }
        assertRefused(send(batch(calls(1, 5, "SLOW"))), 200, -32030, 5);
        assertRefused(
                send(batch(call(1, "other"), "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}")), 200, -32030, 2);
        assertThat(send(batch("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"))
                        .body())
                .as("a ban shuts calls of tools only")
                .isEqualTo(ANSWERS);
    }

    @Test
    void nobodyIsAnsweredWhereNobodyWaits() throws Exception {
        String call = call(1, "OFF").replace("\"id\":1,", "");
        Wire.Answer answer = send(batch(call, NOTIFICATION));
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.body()).isEmpty();
        assertRefused(send(batch(call, call(2, "OFF"))), 200, -32031, 1);
        assertThat(upstream.received()).isEmpty();
    }

    @Test
    void anUpstreamThatIsAwayIsToldToEachRequest() throws Exception {
        assertRefused(sendTo("/away", batch(calls(1, 2, "x"), NOTIFICATION)), 502, 502, 2);
    }

    @Test
    void whoHasNoGoodKeyIsToldSoForEachRequest() throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post("weir_unknown", batch(calls(1, 2, "T1"), NOTIFICATION)));
            assertRefused(wire.answer(), 401, 401, 2);
        }
        assertThat(upstream.received()).isEmpty();
    }

    @Test
    void onlyTheRevisionThatHadBatchesMayUseThem() throws Exception {
        for (String version : List.of("2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28", "x")) {
            Wire.Answer answer = send(batch(call(1, "T1")), "MCP-Protocol-Version: " + version + "\r\n");
            assertThat(answer.status()).as(version).isEqualTo(400);
            assertThat(answer.body()).contains("\"code\":-32600");
        }
        assertThat(upstream.received()).isEmpty();
    }

    private static Stream<String> wrongBatches() {
        String initialize = "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"initialize\",\"params\":{}}";
        String modern = "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\",\"params\":{\"_meta\":"
                + "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}";
        return Stream.of(
                "[]",
                "[1]",
                "[null]",
                batch(batch(call(1, "T1"))),
                batch(call(1, "T1"), call(1, "T1")),
                batch(call(1, "T1"), "{\"jsonrpc\":\"2.0\",\"id\":2}"),
                batch(call(1, "T1"), initialize),
                batch(call(1, "T1"), modern),
                batch(call(1, "T1")) + "x",
                batch(call(1, "T1")) + batch(call(2, "T1")),
                "[" + call(1, "T1"),
                "[" + call(1, "T1") + ",]",
                batch(calls(1, 101, "x")),
                batch(calls(1, 10_000, "x")));
    }

    @Test
    void aBatchThatIsNoGoodOneIsRefusedWhole() throws Exception {
        for (String body : wrongBatches().toList()) {
            Wire.Answer answer = send(body);
            assertThat(answer.status())
                    .as(body.substring(0, Math.min(100, body.length())))
                    .isEqualTo(400);
            assertThat(answer.body())
                    .startsWith("{")
                    .containsPattern("\"code\":-32[67]00")
                    .contains("\"id\":null");
        }
        assertThat(upstream.received()).isEmpty();
        assertThat(send(batch(calls(1, 5, "T1"))).status())
                .as("and no tool was charged")
                .isEqualTo(200);
    }
}
