package dev.weir.app;

import static dev.weir.app.AdminClient.TOKEN;
import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.store.DatabaseSettings;
import dev.weir.store.PostgresServer;
import dev.weir.store.TcpRelay;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Weirs on one PostgreSQL database: what is live on the one is seen at the other. */
@Timeout(120)
class LiveNodesTest {

    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    private final List<RunningWeir> nodes = new ArrayList<>();
    private StubUpstream upstream;
    private DatabaseSettings settings;

    @BeforeEach
    void prepare() throws Exception {
        upstream = new StubUpstream((request, line) -> line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + PONG.length() + "\r\n\r\n" + PONG));
        settings = PostgresServer.running().fresh(directory);
    }

    @AfterEach
    void stop() throws IOException {
        nodes.forEach(RunningWeir::close);
        upstream.close();
    }

    private RunningWeir start(DatabaseSettings database) throws Exception {
        RunningWeir node = RunningWeir.startWith(
                List.of(),
                directory,
                upstream.base(),
                "mcp.admin.token",
                TOKEN,
                "mcp.db.url",
                database.url(),
                "mcp.db.user",
                database.user(),
                "mcp.db.password",
                Objects.requireNonNullElse(database.password(), ""));
        nodes.add(node);
        return node;
    }

    private static EventReader watch(RunningWeir node) throws IOException {
        return new EventReader(node, EventReader.token(TOKEN));
    }

    private static JsonNode until(EventReader reader, Predicate<JsonNode> seen) throws IOException {
        JsonNode event = within(Duration.ofSeconds(30), reader, seen);
        assertThat(event).isNotNull();
        return Objects.requireNonNull(event);
    }

    /** The first event that shows something; null if none does for so long. */
    private static @Nullable JsonNode within(Duration patience, EventReader reader, Predicate<JsonNode> seen)
            throws IOException {
        Instant end = Instant.now().plus(patience);
        EventReader.Event event = reader.next();
        while (!event.kind().equals("live") || !seen.test(event.data())) {
            if (Instant.now().isAfter(end)) {
                return null;
            }
            event = reader.next();
        }
        return event.data();
    }

    private static void call(RunningWeir node, String tool) throws IOException {
        try (Wire wire = node.wire()) {
            wire.send(post(K1, RunningWeir.call(1, tool)));
            assertThat(wire.answer().status()).isEqualTo(200);
        }
    }

    private static boolean shows(JsonNode event, String tool) {
        for (JsonNode item : event.path("tools")) {
            if (item.path("tool").asString().equals(tool)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void aCallAtAnotherNodeIsSeenWithinASecond() throws Exception {
        RunningWeir here = start(settings);
        RunningWeir there = start(settings);
        try (EventReader reader = watch(here)) {
            JsonNode both = until(
                    reader,
                    event -> event.path("nodes").size() == 2
                            && event.path("nodes").get(1).has("requests"));
            assertThat(both.path("nodes").get(0).path("id").asString())
                    .as("two on one host")
                    .isNotEqualTo(both.path("nodes").get(1).path("id").asString());
            Duration shortest = Duration.ofHours(1);
            // The machine may stand still for a while, but not each time.
            for (int i = 0; i < 10 && shortest.compareTo(ONE_SECOND) > 0; i++) {
                String tool = "told-" + i;
                call(there, tool);
                Instant called = Instant.now();
                // The first may come before the other node has learned that somebody watches.
                JsonNode event = within(Duration.ofSeconds(2), reader, one -> shows(one, tool));
                if (event != null) {
                    Instant told = Instant.parse(event.path("at").asString());
                    Duration took = Duration.between(called, told);
                    shortest = took.compareTo(shortest) < 0 ? took : shortest;
                }
            }
            assertThat(shortest).isLessThan(ONE_SECOND);
        }
        await().atMost(Duration.ofSeconds(30))
                .until(() -> here.database()
                                .withHandle(handle -> handle.createQuery("SELECT COUNT(*) FROM node"
                                                + " WHERE CURRENT_TIMESTAMP - seen_at > INTERVAL '2' SECOND")
                                        .mapTo(Integer.class)
                                        .one())
                        == 2);
    }

    @Test
    void aNodeThatStopsGoesAndOneThatVanishesIsShownToBeAway() throws Exception {
        RunningWeir here = start(settings);
        RunningWeir there = start(settings);
        AdminClient admin = new AdminClient(here);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> admin.get("/v1/state").json().path("nodes").size() == 2);
        nodes.remove(there);
        there.close();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> admin.get("/v1/state").json().path("nodes").size() == 1);
        here.sql("INSERT INTO node (id, name, started_at, seen_at, sample) VALUES ('gone#1', 'gone', CURRENT_TIMESTAMP,"
                + " CURRENT_TIMESTAMP - INTERVAL '20' SECOND, 'no JSON at all')");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            JsonNode state = admin.get("/v1/state").json();
            assertThat(state.at("/nodes/1/node").asString()).isEqualTo("gone");
            assertThat(state.at("/nodes/1/away").asBoolean()).isTrue();
        });
        try (EventReader reader = watch(here)) {
            JsonNode event = until(reader, one -> one.path("nodes").size() == 2);
            assertThat(event.path("nodes").get(1).has("requests")).isFalse();
        }
    }

    @Test
    void whileTheDatabaseIsAwayTheOwnNumbersAreLiveAndSayIt() throws Exception {
        try (TcpRelay relay = new TcpRelay(PostgresServer.running().port())) {
            RunningWeir here = start(PostgresServer.settings(settings.user(), relay.port(), directory));
            try (EventReader reader = watch(here)) {
                until(
                        reader,
                        event -> event.path("nodes").get(0).path("databaseUp").asBoolean());
                relay.silence();
                until(
                        reader,
                        event -> !event.path("nodes").get(0).path("databaseUp").asBoolean());
                call(here, "meanwhile");
                JsonNode event = until(reader, one -> shows(one, "meanwhile"));
                assertThat(event.path("nodes").get(0).path("databaseUp").asBoolean())
                        .isFalse();
                JsonNode state = new AdminClient(here).get("/v1/state").json();
                assertThat(state.path("database").path("up").asBoolean()).isFalse();
                assertThat(state.path("database").path("trouble").asString()).isNotEmpty();
            } finally {
                relay.sound();
            }
        }
    }
}
