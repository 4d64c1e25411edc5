package dev.weir.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the listener hears, behind a relay that fails in the ways of a network. Nothing here looks by itself. */
@Timeout(60)
class ChangeListenerTest {

    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    /** A silence is noticed within two seconds, and the way back takes a moment. */
    private static final Duration NOTICED = Duration.ofSeconds(4);

    private static final String LISTENERS =
            "FROM pg_stat_activity WHERE application_name = 'weir-listener' AND usename = ";

    @TempDir
    Path directory;

    private final PostgresServer server = PostgresServer.running();
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger readings = new AtomicInteger();
    private volatile String seen = "";
    private TcpRelay relay;
    private String user;
    private Database direct;
    private ChangeListener listener;
    private Thread thread;

    @BeforeEach
    void listen() throws Exception {
        DatabaseSettings settings = server.fresh(directory);
        user = settings.user();
        direct = Database.open(settings);
        relay = new TcpRelay(server.port());
        DatabaseSettings relayed = PostgresServer.settings(user, relay.port(), directory);
        write("first");
        listener = new ChangeListener(() -> connect(relayed), this::read);
        thread = new Thread(listener);
        thread.start();
        await().until(() -> seen.equals("first"));
        run("INSERT INTO route (prefix, upstream_url) VALUES ('/mcp', 'http://127.0.0.1:1')");
        run("INSERT INTO tool (route, name, tier) VALUES ('/mcp', 't', 'heavy')");
        run("INSERT INTO client (id, name) VALUES ('a', 'A')");
        await().until(() -> listener.isListening());
        awaitQuiet();
    }

    @AfterEach
    void close() throws Exception {
        listener.stop();
        thread.join();
        relay.close();
        direct.close();
    }

    @Test
    void everyChangeIsHeardOfWithinASecond() {
        for (String change : List.of(
                "UPDATE tool_tier SET burst = 6 WHERE name = 'heavy'",
                "UPDATE route SET enabled = FALSE",
                "INSERT INTO route_target (route, url) VALUES ('/mcp', 'http://127.0.0.1:2/mcp')",
                "INSERT INTO route_header (route, name, content) VALUES ('/mcp', 'X-A', 'a')",
                "INSERT INTO client (id, name) VALUES ('b', 'B')",
                "INSERT INTO client_key (sha256, client) VALUES (REPEAT('a', 64), 'a')",
                "INSERT INTO client_tool (client, route, tool, allowed) VALUES ('a', '/mcp', 't', FALSE)",
                "INSERT INTO client_route (client, route) VALUES ('a', '/mcp')",
                "INSERT INTO client_token (content, client) VALUES ('app', 'a')",
                "DELETE FROM tool",
                "INSERT INTO setting (name, content) VALUES ('ban.scope', 'all')",
                "INSERT INTO ban (principal, expires_at) VALUES ('client:a', CURRENT_TIMESTAMP + INTERVAL '1' HOUR)",
                "TRUNCATE setting")) {
            int before = readings.get();
            run(change);
            await(change).atMost(ONE_SECOND).until(() -> readings.get() > before);
        }
    }

    @Test
    void whatIsRolledBackIsNotHeardOf() {
        int before = readings.get();
        direct.jdbi().useHandle(handle -> {
            handle.begin();
            handle.execute("UPDATE setting SET content = 'never'");
            handle.rollback();
        });
        await().during(Duration.ofMillis(600)).until(() -> readings.get() == before);
    }

    @Test
    void aStreamOfChangesIsNoStreamOfReadingsAndTheLastOneIsSeen() {
        int before = readings.get();
        for (int i = 0; i < 1_000; i++) {
            write("n" + i);
        }
        await().atMost(ONE_SECOND).until(() -> seen.equals("n999"));
        assertThat(readings.get() - before).isLessThan(150);
    }

    @Test
    void aListenerWhoseBackendIsEndedIsBackAtOnce() {
        for (int i = 0; i < 3; i++) {
            assertThat(server.number("SELECT COUNT(pg_terminate_backend(pid)) " + LISTENERS + "'" + user + "'"))
                    .isEqualTo(1);
            write("in the gap " + i);
            String written = "in the gap " + i;
            await().atMost(ONE_SECOND).until(() -> seen.equals(written));
            await().until(() -> listener.isListening());
        }
    }

    @Test
    void anEditWhileTheServerWasAwayIsSeenWithoutAnotherOne() throws Exception {
        relay.away();
        write("in the gap");
        await().until(() -> !listener.isListening());
        await().during(ONE_SECOND).until(() -> !seen.equals("in the gap"));
        relay.back();
        await().atMost(NOTICED).until(() -> seen.equals("in the gap"));
        write("afterwards");
        await().atMost(ONE_SECOND).until(() -> seen.equals("afterwards"));
    }

    @Test
    void whileTheServerIsAwayItIsAskedForEverMoreSeldom() throws Exception {
        relay.away();
        await().until(() -> !listener.isListening());
        int before = attempts.get();
        await().during(Duration.ofSeconds(4)).atMost(Duration.ofSeconds(5)).until(() -> attempts.get() - before < 8);
        assertThat(attempts.get() - before).isGreaterThanOrEqualTo(2);
        relay.back();
        await().atMost(NOTICED).until(() -> listener.isListening());
    }

    @Test
    void aConnectionThatHasGoneSilentIsNoticedAndWhatWasMissedIsRead() {
        relay.freeze();
        write("unheard");
        await().atMost(NOTICED).until(() -> seen.equals("unheard"));
        write("heard");
        await().atMost(ONE_SECOND).until(() -> seen.equals("heard"));
    }

    @Test
    void stoppingEndsItAlsoWhileTheServerIsAway() throws Exception {
        relay.away();
        await().until(() -> !listener.isListening());
        listener.stop();
        await().atMost(ONE_SECOND).until(() -> !thread.isAlive());
    }

    @Test
    void h2TellsNobodyOfItsChanges() throws Exception {
        try (Database h2 = Database.open(DatabaseUnderTest.H2.fresh(directory))) {
            assertThat(h2.listener(() -> {})).isEmpty();
        }
    }

    private Connection connect(DatabaseSettings settings) throws SQLException {
        attempts.incrementAndGet();
        return DatabaseKind.POSTGRESQL.connect(
                settings.url(),
                settings.user(),
                requireNonNull(settings.password()),
                Map.of("ApplicationName", "weir-listener"));
    }

    private void awaitQuiet() {
        AtomicInteger last = new AtomicInteger(-1);
        await().pollInterval(Duration.ofMillis(200)).until(() -> last.getAndSet(readings.get()) == readings.get());
    }

    /** What a refresh does, but on a connection of its own: how the pool fares is not of interest here. */
    private void read() {
        seen = direct.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT content FROM setting WHERE name = 'edit'")
                        .mapTo(String.class)
                        .findOne()
                        .orElse(""));
        readings.incrementAndGet();
    }

    private void write(String content) {
        direct.jdbi()
                .useHandle(handle -> handle.execute(
                        "INSERT INTO setting (name, content) VALUES ('edit', ?)"
                                + " ON CONFLICT (name) DO UPDATE SET content = EXCLUDED.content",
                        content));
    }

    private void run(String sql) {
        direct.jdbi().useHandle(handle -> handle.execute(sql));
    }
}
