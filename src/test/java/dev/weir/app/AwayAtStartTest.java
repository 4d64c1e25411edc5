package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.store.Database;
import dev.weir.store.DatabaseHolder;
import dev.weir.store.DatabaseSettings;
import dev.weir.store.PostgresServer;
import dev.weir.store.TcpRelay;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Weir whose database is not there when it starts: alive, refusing, telling why, and serving once the database is there. */
@Timeout(120)
class AwayAtStartTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private StubUpstream upstream;

    @BeforeEach
    void listen() throws IOException {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
    }

    @AfterEach
    void close() throws IOException {
        upstream.close();
    }

    @Test
    void aServerThatIsAwayIsWaitedForAndNobodyIsServedUntilThen() throws Exception {
        DatabaseSettings settings = PostgresServer.running().fresh(directory);
        try (TcpRelay relay = new TcpRelay(PostgresServer.running().port());
                LogLines lines = new LogLines(Opening.class)) {
            relay.away();
            try (RunningWeir weir = RunningWeir.on(through(relay, settings), upstream.base())) {
                assertThat(weir.probe("/live")).startsWith("200");
                assertThat(weir.probe("/ready"))
                        .startsWith("503")
                        .contains("\"status\":\"not_ready\"", "cannot be opened")
                        .doesNotContain("secret");
                assertThat(weir.probe("/health"))
                        .startsWith("200")
                        .contains("\"status\":\"degraded\"", "\"policy\":\"not read yet\"", "cannot be opened")
                        .doesNotContain("secret");
                assertThat(Scrape.of(weir).value("weir_database_up")).isZero();
                assertThat(Scrape.of(weir).value("weir_change_listener_up")).isZero();
                refuses(weir, post(K1, call(1, "T2")));
                refuses(weir, "GET /elsewhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
                await().during(Duration.ofSeconds(2))
                        .until(() -> lines.of("database_away_at_start").size() == 1);
                assertThat(upstream.received()).isEmpty();

                assertThat(weir.missing()).contains("cannot be opened").doesNotContain("secret");
                relay.back();
                serves(weir);
                assertThat(weir.missing()).isNull();
                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(weir.probe("/health"))
                                .startsWith("200 {\"status\":\"up\"")
                                .contains("\"change_listener\":\"listening\""));
                assertThat(Scrape.of(weir).value("weir_database_up")).isEqualTo(1);
                assertThat(Scrape.of(weir).value("weir_change_listener_up")).isEqualTo(1);
            }
        }
    }

    @Test
    void aServerThatSaysNothingIsWaitedForAndStoppingDoesNotWaitForIt() throws Exception {
        DatabaseSettings settings = PostgresServer.running().fresh(directory);
        try (TcpRelay relay = new TcpRelay(PostgresServer.running().port())) {
            relay.silence();
            try (RunningWeir weir = RunningWeir.on(through(relay, settings), upstream.base())) {
                assertThat(weir.probe("/ready")).startsWith("503");
                refuses(weir, post(K1, call(1, "T2")));
                relay.sound();
                serves(weir);
            }
            relay.silence();
            long stopping;
            try (RunningWeir weir = RunningWeir.on(through(relay, settings), upstream.base())) {
                assertThat(weir.probe("/ready")).startsWith("503");
                stopping = System.nanoTime();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - stopping)).isLessThan(Duration.ofSeconds(6));
        }
    }

    @Test
    void aStopWhileTheServerSaysNothingIsNoLongOneAndTellsOfTheBansThatAreLost() throws Exception {
        DatabaseSettings settings = PostgresServer.running().fresh(directory);
        try (TcpRelay relay = new TcpRelay(PostgresServer.running().port());
                LogLines lines = new LogLines(Weir.class)) {
            long stopping;
            try (RunningWeir weir = RunningWeir.on(
                    through(relay, settings),
                    upstream.base(),
                    "UPDATE tool_tier SET rate_per_second = 0, burst = 0 WHERE name = 'heavy'",
                    "INSERT INTO setting (name, content) VALUES ('ban.threshold', '0')")) {
                serves(weir);
                relay.silence();
                try (Wire wire = weir.wire()) {
                    wire.send(post(K1, call(1, "T1")));
                    assertThat(wire.answer().body()).contains("\"reason\":\"banned\"");
                }
                stopping = System.nanoTime();
            }
            Duration took = Duration.ofNanos(System.nanoTime() - stopping);
            System.out.println("stopped in " + took);
            assertThat(took).isLessThan(Duration.ofSeconds(28));
            assertThat(lines.of("bans_not_written")).hasSize(1);
            assertThat(LogLines.field(lines.of("bans_not_written").get(0), "writes"))
                    .isEqualTo("1");
        }
    }

    @Test
    void aWrongPasswordIsToldOfOnceAndTriedAgain() throws Exception {
        PostgresServer server = PostgresServer.running();
        DatabaseSettings settings = server.fresh(directory);
        server.administer("ALTER ROLE " + settings.user() + " PASSWORD 'another'");
        try (LogLines lines = new LogLines(Opening.class);
                RunningWeir weir = RunningWeir.on(settings, upstream.base())) {
            assertThat(weir.probe("/ready"))
                    .startsWith("503")
                    .contains("wrong user name or password (user " + settings.user() + ")")
                    .doesNotContain("secret", "another");
            await().during(Duration.ofSeconds(2))
                    .until(() -> lines.of("database_away_at_start").size() == 1);
            assertThat(LogLines.field(lines.of("database_away_at_start").get(0), "reason"))
                    .contains("wrong user name or password")
                    .doesNotContain("secret", "another");
            server.administer("ALTER ROLE " + settings.user() + " PASSWORD '" + settings.password() + "'");
            serves(weir);
        }
    }

    @Test
    void aTableThatIsLockedAtTheStartIsWaitedFor() throws Exception {
        DatabaseSettings settings = PostgresServer.running().fresh(directory);
        try (Database other = Database.open(settings);
                Handle lock = other.jdbi().open()) {
            lock.begin();
            lock.execute("LOCK TABLE bucket IN ACCESS EXCLUSIVE MODE");
            try (RunningWeir weir = RunningWeir.on(settings, upstream.base())) {
                assertThat(weir.probe("/ready")).startsWith("503").contains("the database cannot be read");
                refuses(weir, post(K1, call(1, "T2")));
                lock.rollback();
                serves(weir);
            }
        }
    }

    @Test
    void aFileThatAnotherProcessHoldsIsWaitedFor() throws Exception {
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        DatabaseHolder.class.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .start();
        try (LogLines lines = new LogLines(Opening.class)) {
            assertThat(holder.inputReader().lines().anyMatch("open"::equals)).isTrue();
            try (RunningWeir weir = RunningWeir.start(directory, upstream.base())) {
                assertThat(weir.probe("/ready")).startsWith("503").contains("already in use by another process");
                refuses(weir, post(K1, call(1, "T2")));
                await().during(Duration.ofSeconds(2))
                        .until(() -> lines.of("database_away_at_start").size() == 1);
                holder.destroyForcibly().waitFor();
                serves(weir);
            }
        } finally {
            holder.destroyForcibly().waitFor();
        }
    }

    @Test
    void whatNoWaitingCanMendStopsTheStart() {
        for (String url :
                new String[] {"jdbc:oracle:thin:@//x/y?password=secret", "jdbc:h2:file:./x;AUTO_SERVER=TRUE"}) {
            assertThatThrownBy(() -> RunningWeir.start(directory, upstream.base(), "mcp.db.url", url)
                            .close())
                    .hasStackTraceContaining("DatabaseUnavailableException")
                    .hasMessageNotContaining("secret");
        }
    }

    private static DatabaseSettings through(TcpRelay relay, DatabaseSettings settings) {
        return PostgresServer.settings(settings.user(), relay.port(), settings.dataDir());
    }

    private static void refuses(RunningWeir weir, String request) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(request);
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.head().values("Retry-After")).containsExactly("2");
            assertThat(answer.head().values("X-Request-ID")).hasSize(1);
            assertThat(answer.body()).startsWith("{\"error\":\"not_ready\",\"message\":\"Weir waits for its database");
        }
    }

    private static void serves(RunningWeir weir) throws Exception {
        await().atMost(SOON).until(() -> weir.probe("/ready").startsWith("200"));
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, call(1, "T2")));
            assertThat(wire.answer().body()).contains("result");
        }
    }
}
