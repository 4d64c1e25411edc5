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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Case O05: the body is what counts, and header fields that say something else are no way around it. */
@Timeout(60)
class MirroredHeadersTest {

    private static final String VERSION = "MCP-Protocol-Version: 2026-07-28\r\n";
    private static final String METHOD = "Mcp-Method: tools/call\r\n";

    @TempDir
    Path directory;

    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream(
                (request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}"));
        // So slow that no token comes back while a test runs.
        weir = RunningWeir.startWith(
                List.of("UPDATE tool_tier SET rate_per_second = 0.001, burst = 5 WHERE name = 'heavy'"),
                directory,
                upstream.base());
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    private Wire.Answer ask(String body, String headers) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, body, headers));
            return wire.answer();
        }
    }

    private static String modern(String tool) {
        return call(7, tool)
                .replace(
                        "\"arguments\"",
                        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"},\"arguments\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                METHOD + "Mcp-Name: T1\r\n",
                VERSION + "Mcp-Name: T1\r\n",
                VERSION + METHOD,
                "MCP-Protocol-Version: 2025-11-25\r\n" + METHOD + "Mcp-Name: T1\r\n",
                VERSION + VERSION + METHOD + "Mcp-Name: T1\r\n",
                VERSION + "Mcp-Method: tools/list\r\nMcp-Name: T1\r\n",
                VERSION + METHOD + "Mcp-Name: FREE\r\n",
                VERSION + METHOD + "Mcp-Name: t1\r\n",
                VERSION + METHOD + "Mcp-Name: FREE\r\nMcp-Name: T1\r\n",
                VERSION + METHOD + "Mcp-Name: =?base64?VDE?=\r\n",
                VERSION + METHOD + "Mcp-Name: =?BASE64?VDE=?=\r\n",
                VERSION + METHOD + "Mcp-Name: =?base64?*?=\r\n"
            })
    void inTheModernEraDisagreementIsRefusedAndNeverRelayed(String headers) throws Exception {
        Wire.Answer answer = ask(modern("T1"), headers);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body())
                .contains("\"id\":7")
                .contains("\"code\":-32020")
                .doesNotContain("\"result\"");
        assertThat(upstream.received()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Mcp-Name: T1\r\n",
                "mcp-name:   T1  \r\n",
                "Mcp-Name: =?base64?VDE=?=\r\n",
            })
    void whatAgreesIsChargedByTheBodyAndRelayed(String name) throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(ask(modern("T1"), VERSION + METHOD + name).body()).contains("\"result\"");
        }
        assertThat(ask(modern("T1"), VERSION + METHOD + name).body()).contains("Tool [T1] rate limit exceeded");
        assertThat(upstream.received()).hasSize(5);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Mcp-Method: tools/list\r\nMcp-Name: FREE\r\n",
                "Mcp-Method: tools/call\r\nMcp-Name: FREE\r\nMcp-Name: T1\r\n"
            })
    void inTheLegacyEraTheyMeanNothingAndGoNoFurther(String headers) throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(ask(call(7, "T1"), headers).body()).contains("\"result\"");
        }
        assertThat(ask(call(7, "T1"), headers).body()).contains("Tool [T1] rate limit exceeded");
        assertThat(upstream.received()).hasSize(5).allSatisfy(request -> {
            assertThat(request.values("Mcp-Method")).isEmpty();
            assertThat(request.values("Mcp-Name")).isEmpty();
        });
    }
}
