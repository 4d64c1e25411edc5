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
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client sees just the tools that it may call, as the policy says at the moment. */
@Timeout(60)
class VisibleToolsTest {

    private static final String ASK = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    private static final String ALL =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"T1\"},{\"name\":\"OFF\"},"
                    + "{\"name\":\"NOT-C1\"},{\"name\":\"OTHER\"}],\"ttlMs\":1,\"cacheScope\":\"public\"}}";

    @Test
    void whatAClientMayNotCallItDoesNotSee(@TempDir Path directory) throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> {
                    if (request.requestLine().startsWith("GET")) {
                        line.head("text/event-stream");
                        line.chunk("data: " + ALL + "\n\n");
                        line.send("0\r\n\r\n");
                    } else {
                        line.json(200, request.body().startsWith("[") ? "[" + ALL + "]" : ALL);
                    }
                });
                RunningWeir weir = RunningWeir.startWith(
                        List.of(
                                "UPDATE route SET batch = 'judge'",
                                "INSERT INTO tool (route, name, tier, enabled) VALUES ('/mcp', 'OFF', 'light', FALSE)",
                                "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'NOT-C1', 'light')",
                                "INSERT INTO client_tool (client, route, tool, allowed) VALUES ('c1', '/mcp', 'NOT-C1', FALSE)"),
                        directory,
                        upstream.base())) {
            assertThat(weir.missing()).isNull();
            assertThat(seen(weir, K1, ASK)).containsExactly("T1", "OTHER");
            assertThat(seen(weir, K2, ASK)).containsExactly("T1", "NOT-C1", "OTHER");
            assertThat(answer(weir, K1, ASK)).contains("\"cacheScope\":\"private\"");
            assertThat(answer(weir, K1, call(1, "OTHER")))
                    .as("what looks like a list but answers another method")
                    .isEqualTo(ALL);
            assertThat(answer(weir, K1, "[" + ASK + "]")).startsWith("[{").doesNotContain("OFF", "NOT-C1");
            assertThat(answer(weir, K2, "[" + ASK + "]")).contains("NOT-C1").doesNotContain("OFF");
            assertThat(stream(weir)).startsWith("data: {").contains("T1").doesNotContain("OFF", "NOT-C1");
            for (String name : List.of("OFF", "NOT-C1")) {
                assertThat(answer(weir, K1, call(1, name))).contains("-32031");
            }

            weir.sql("INSERT INTO setting (name, content) VALUES ('unregistered_tools', 'refuse')");
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(seen(weir, K1, ASK)).containsExactly("T1"));
            assertThat(seen(weir, K2, ASK)).containsExactly("T1", "NOT-C1");

            weir.sql("DELETE FROM setting");
            weir.sql("UPDATE tool SET enabled = TRUE");
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(answer(weir, K2, ASK)).isEqualTo(ALL));
        }
    }

    private static List<String> seen(RunningWeir weir, String key, String ask) throws IOException {
        JsonNode answer = new JsonMapper().readTree(answer(weir, key, ask));
        return answer.at("/result/tools")
                .valueStream()
                .map(tool -> tool.path("name").asString())
                .toList();
    }

    private static String stream(RunningWeir weir) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1
                    + "\r\nAccept: text/event-stream\r\nLast-Event-ID: 1\r\n\r\n");
            return wire.answer().body();
        }
    }

    private static String answer(RunningWeir weir, String key, String ask) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(post(key, ask));
            return wire.answer().body();
        }
    }
}
