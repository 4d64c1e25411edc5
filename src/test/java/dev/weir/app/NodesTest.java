package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.ban.BanBook;
import dev.weir.ban.BanWatch;
import dev.weir.store.Database;
import dev.weir.store.DatabaseSettings;
import dev.weir.store.JdbcBanHistory;
import dev.weir.store.PostgresServer;
import dev.weir.store.WriteQueue;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three Weirs on one PostgreSQL database: what happens on one is in force on the others within a second. */
@Timeout(120)
class NodesTest {

    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

    /** Strikes are a ban at the second of them; the first call empties the bucket. */
    private static final String[] POLICY = {
        "UPDATE tool_tier SET rate_per_second = 0.001, burst = 1, cooldown_seconds = 0 WHERE name = 'heavy'",
        "INSERT INTO setting (name, content) VALUES ('ban.threshold', '1') ON CONFLICT DO NOTHING",
    };

    @TempDir
    Path directory;

    private final List<RunningWeir> nodes = new ArrayList<>();
    private final List<Wire> wires = new ArrayList<>();
    private DatabaseSettings settings;
    private StubUpstream upstream;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                + "Mcp-Session-Id: s-1\r\nContent-Length: " + PONG.length() + "\r\n\r\n" + PONG));
        settings = PostgresServer.running().fresh(directory);
        for (int i = 0; i < 3; i++) {
            RunningWeir node = RunningWeir.on(settings, upstream.base(), POLICY);
            nodes.add(node);
            wires.add(node.wire());
            await().until(() -> node.probe("/health").contains("\"change_listener\":\"listening\""));
        }
    }

    @AfterEach
    void stop() throws IOException {
        for (Wire wire : wires) {
            wire.close();
        }
        nodes.forEach(RunningWeir::close);
        upstream.close();
    }

    /** O55, several nodes. */
    @Test
    void aBanByStrikesOfOneNodeHoldsOnAllAndEndsOnAllByALiftInSql() {
        banByStrikes(0);
        inForce(ONE_SECOND, "banned");
        nodes.get(2).sql("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP, lifted_by = 'ops', lift_reason = 'mended'");
        inForce(ONE_SECOND, "result");
        assertThat(bans("lifted_by = 'ops' AND strikes = 2"))
                .as("the history stays")
                .isEqualTo(1);
    }

    @Test
    void aLiftByAnotherNodesOperatorEndsTheBanOnAll() throws Exception {
        banByStrikes(1);
        inForce(ONE_SECOND, "banned");
        try (Database database = Database.open(settings)) {
            WriteQueue queue = WriteQueue.keeping(database);
            Thread writer = new Thread(queue);
            writer.start();
            BanBook book = new BanBook(
                    new JdbcBanHistory(database, queue, "another"),
                    BanWatch.NONE,
                    Clock.systemUTC(),
                    System::nanoTime,
                    () -> UUID.randomUUID().toString());
            assertThat(book.restore()).isEqualTo(1);
            String id = database.jdbi()
                    .withHandle(handle -> handle.select("SELECT id FROM ban")
                            .mapTo(String.class)
                            .one());
            assertThat(book.lift(id, "ops", "mended").toCompletableFuture().get(5, TimeUnit.SECONDS))
                    .isTrue();
            inForce(ONE_SECOND, "result");
            queue.stop(ONE_SECOND);
            writer.join();
        }
    }

    @Test
    void aSessionThatWasOpenedOnOneNodeIsItsOwnersOnAll() throws IOException {
        wires.get(0).send(post(K1, call(1, "T2")));
        String told = "Mcp-Session-Id: "
                + wires.get(0).answer().head().values("Mcp-Session-Id").get(0) + "\r\n";
        for (Wire wire : wires) {
            wire.send(post(K1, call(1, "T2"), told));
            assertThat(wire.answer().status()).isEqualTo(200);
            wire.send(post(K2, call(1, "T2"), told));
            assertThat(wire.answer().status()).isEqualTo(404);
        }
    }

    @Test
    void anEditOfThePolicyIsInForceOnAll() {
        inForce(ONE_SECOND, "result");
        nodes.get(1).sql("INSERT INTO setting (name, content) VALUES ('unregistered_tools', 'refuse')");
        inForce(ONE_SECOND, "-32031");
    }

    @Test
    void nodesThatCannotListenFindOutByLookingAndSaySo() {
        String connections = "SELECT COUNT(*) FROM pg_stat_activity WHERE usename = '" + settings.user() + "'";
        String listeners = connections + " AND application_name = 'weir-listener'";
        await().during(ONE_SECOND).until(() -> number(connections) == 3 * 7);
        // As many as are left, so that no listener comes back.
        limitConnections(3 * 6);
        assertThat(number(listeners.replace("COUNT(*)", "COUNT(pg_terminate_backend(pid))")))
                .isEqualTo(3);
        for (RunningWeir node : nodes) {
            await().untilAsserted(() -> assertThat(node.probe("/health"))
                    .contains("\"status\":\"degraded\"", "\"reason\":\"the database tells of no changes")
                    .contains("\"database\":\"up\"", "\"change_listener\":\"lost\""));
        }
        for (int i = 0; i < 3; i++) {
            banByStrikes(i);
            inForce(ONE_SECOND, "banned");
            nodes.get(i).sql("DELETE FROM ban");
            inForce(ONE_SECOND, "result");
        }
        nodes.get(0).sql("INSERT INTO setting (name, content) VALUES ('unregistered_tools', 'refuse')");
        inForce(ONE_SECOND, "-32031");
        assertThat(number(listeners)).isZero();

        limitConnections(-1);
        nodes.forEach(node -> await().until(() -> node.probe("/health").contains("\"change_listener\":\"listening\"")));
    }

    private void limitConnections(int most) {
        PostgresServer.running().administer("ALTER ROLE " + settings.user() + " CONNECTION LIMIT " + most);
    }

    private static long number(String query) {
        return PostgresServer.running().number(query);
    }

    /** Three calls at most: one may find a token, and two are throttled. */
    private void banByStrikes(int node) {
        int before = bans("TRUE");
        await().atMost(Duration.ofSeconds(10))
                .until(() -> ask(wires.get(node), "T1").contains("banned"));
        assertThat(bans("TRUE") - before).as("told of after it was committed").isEqualTo(1);
    }

    private void inForce(Duration within, String answer) {
        await().atMost(within).untilAsserted(() -> {
            for (Wire wire : wires) {
                assertThat(ask(wire, "T2")).contains(answer);
            }
        });
    }

    private static String ask(Wire wire, String tool) throws IOException {
        wire.send(post(K1, call(1, tool)));
        return wire.answer().body();
    }

    private int bans(String where) {
        return nodes.get(0)
                .database()
                .withHandle(handle -> handle.select("SELECT COUNT(*) FROM ban WHERE " + where)
                        .mapTo(Integer.class)
                        .one());
    }
}
