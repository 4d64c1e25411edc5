package dev.weir.app;

import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Case O48: client {@code a} on tool {@code b:c} and client {@code a:b} on tool {@code c} have nothing in common. */
@Timeout(60)
class CompositeKeyTest {

    private static final List<String> SEPARATORS = List.of(":", "|", "/", " ");
    private static final String KEY_OF = "weir_test-key-of-";

    @TempDir
    Path directory;

    private StubUpstream upstream;
    private RunningWeir weir;

    /** A tier of two calls, the tool {@code c}, the client {@code a}, and their namesakes for each separator. */
    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
        weir = RunningWeir.start(directory, upstream.base());
        weir.database().useTransaction(handle -> {
            handle.execute("INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('rare', 0.001, 2)");
            handle.execute("INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'c', 'rare')");
            insertClient(handle, "a");
            for (String separator : SEPARATORS) {
                insertClient(handle, "a" + separator + "b");
                handle.execute(
                        "INSERT INTO tool (route, name, tier) VALUES ('/mcp', ?, 'rare')", "b" + separator + "c");
            }
        });
        try (Wire wire = weir.wire()) {
            await().until(() -> {
                wire.send(post(KEY_OF + "a", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"));
                return wire.answer().status() == 200;
            });
        }
    }

    private static void insertClient(Handle handle, String id) {
        handle.execute("INSERT INTO client (id, name) VALUES (?, 'x')", id);
        handle.execute("INSERT INTO client_key (sha256, client) VALUES (?, ?)", ApiKey.digest(KEY_OF + id), id);
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    private static boolean isServed(Wire wire, String client, String tool) throws IOException {
        wire.send(post(KEY_OF + client, call(1, tool)));
        return wire.answer().body().contains("\"result\"");
    }

    private static void assertTwoCallsAndNoMore(Wire wire, String client, String tool) throws IOException {
        for (int i = 1; i <= 3; i++) {
            assertThat(isServed(wire, client, tool))
                    .as("call %d of client [%s] on tool [%s]", i, client, tool)
                    .isEqualTo(i <= 2);
        }
    }

    /** O48. */
    @Test
    void clientsAndToolsWhoseNamesAreAlikeWhenJoinedHaveBucketsOfTheirOwn() throws Exception {
        try (Wire wire = weir.wire()) {
            for (String separator : SEPARATORS) {
                assertTwoCallsAndNoMore(wire, "a", "b" + separator + "c");
                assertTwoCallsAndNoMore(wire, "a" + separator + "b", "c");
            }
            assertTwoCallsAndNoMore(wire, "a", "c");
        }
    }

    /** O48: nor does a ban of one shut out the other. */
    @Test
    void aBanHoldsForItsOwnClientAlone() throws Exception {
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < 20; i++) {
                isServed(wire, "a:b", "c");
            }
            wire.send(post(KEY_OF + "a:b", call(1, "c")));
            assertThat(wire.answer().body()).contains("-32030");
            assertThat(isServed(wire, "a", "b:c")).isTrue();
            assertThat(isServed(wire, "a", "c")).isTrue();
        }
    }
}
