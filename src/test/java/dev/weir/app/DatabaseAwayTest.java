package dev.weir.app;

import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import dev.weir.store.Database;
import dev.weir.store.DatabaseSettings;
import dev.weir.store.DatabaseUnderTest;
import dev.weir.store.PostgresServer;
import dev.weir.store.TcpRelay;
import dev.weir.wire.StubUpstream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * O62: the database goes away under 200 requests a second, a quarter of which are each the ban of another client. Nobody who
 * calls notices, whoever asks is told, and afterwards nothing is missing. The system property {@code weir.away.seconds} says for
 * how long it is away.
 */
@Timeout(400)
class DatabaseAwayTest {

    private static final int AWAY_SECONDS = Integer.getInteger("weir.away.seconds", 5);
    private static final int BANS_PER_SECOND = 50;
    private static final int BANS = BANS_PER_SECOND * AWAY_SECONDS;
    private static final int CALLERS = 15;
    private static final long BEFORE_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final Duration NOTICED = Duration.ofSeconds(5);
    /** Longer than the minute for which rows of throttles that were dropped are told of. */
    private static final Duration MENDED = Duration.ofSeconds(100);

    /** How long the answer that tells of a fresh ban may wait for the commit. */
    private static final long ANNOUNCE_MILLIS = 500;

    /** What a busy machine may add by itself. Whoever waits for a database that is away waits for two seconds. */
    private static final long NOISE_MILLIS = 500;

    /** One for each connection that is served at the same time; one for each ban, or each writing, would be more. */
    private static final int MORE_THREADS = CALLERS + BANS_PER_SECOND;

    /** Admitted, and a row of throttles every second: a tier in shadow mode that would refuse. */
    private static final SteadyLoad.Kind STEADY =
            new SteadyLoad.Kind("steady", i -> post(key("steady", i % CALLERS), call(i, "shadowed")), "\"result\"");

    private static final SteadyLoad.Kind BAN =
            new SteadyLoad.Kind("ban", i -> post(key("banned", i), call(i, "T1")), "\"reason\":\"banned\"");

    private interface Outage {
        void begin() throws Exception;

        void end() throws Exception;
    }

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
    void tablesThatAreLocked() throws Exception {
        DatabaseSettings settings = PostgresServer.running().fresh(directory);
        try (RunningWeir weir = weir(settings);
                Database other = Database.open(settings);
                Handle lock = other.jdbi().open()) {
            survives(weir, new Outage() {
                @Override
                public void begin() {
                    lock.begin();
                    lock.execute(
                            "LOCK TABLE ban, throttle_event, bucket, setting, tool_tier, route, tool, client, client_key,"
                                    + " client_tool, client_route, client_token, node IN ACCESS EXCLUSIVE MODE");
                }

                @Override
                public void end() {
                    lock.rollback();
                }
            });
        }
    }

    @Test
    void aNetworkThatLosesEverything() throws Exception {
        DatabaseSettings settings = PostgresServer.running().fresh(directory);
        try (TcpRelay relay = new TcpRelay(PostgresServer.running().port());
                RunningWeir weir = weir(PostgresServer.settings(settings.user(), relay.port(), directory))) {
            survives(weir, new Outage() {
                @Override
                public void begin() {
                    relay.silence();
                }

                @Override
                public void end() {
                    relay.sound();
                }
            });
        }
    }

    @Test
    void aServerThatIsStopped(@TempDir Path data) throws Exception {
        List<PostgresServer> servers = new ArrayList<>(List.of(PostgresServer.in(data.resolve("pg"))));
        int port = servers.get(0).port();
        try (RunningWeir weir = weir(servers.get(0).fresh(directory))) {
            survives(weir, new Outage() {
                @Override
                public void begin() throws IOException {
                    servers.get(0).stop();
                }

                @Override
                public void end() {
                    servers.add(PostgresServer.again(data.resolve("pg"), port));
                }
            });
        } finally {
            servers.get(servers.size() - 1).stop();
        }
    }

    @ParameterizedTest
    @EnumSource(DatabaseUnderTest.class)
    void aPoolThatHasNoConnectionToGive(DatabaseUnderTest kind) throws Exception {
        List<Handle> held = new ArrayList<>();
        try (RunningWeir weir = weir(kind.fresh(directory))) {
            survives(weir, new Outage() {
                @Override
                public void begin() {
                    assertThatThrownBy(() -> {
                                while (held.size() < 100) {
                                    held.add(weir.database().open());
                                }
                            })
                            .hasStackTraceContaining("Connection is not available");
                }

                @Override
                public void end() {
                    held.forEach(Handle::close);
                }
            });
        }
    }

    private void survives(RunningWeir weir, Outage outage) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        try (SteadyLoad load = new SteadyLoad(weir)) {
            load.send(STEADY, CALLERS, 100, Integer.MAX_VALUE);
            long warm = await().until(System::nanoTime, now -> load.answered("steady") > 10 * CALLERS);
            await().atMost(MENDED).until(() -> System.nanoTime() - warm > BEFORE_NANOS);

            outage.begin();
            long away = System.nanoTime();
            load.send(BAN, BANS_PER_SECOND, 1_000, BANS);
            int before = threads.getThreadCount();
            threads.resetPeakThreadCount();
            isToldOf(weir);
            await().atMost(Duration.ofSeconds(AWAY_SECONDS + 10L))
                    .until(() -> load.answered("ban") == BANS || load.failure() != null);
            isToldOf(weir);
            long back = System.nanoTime();
            int peak = threads.getPeakThreadCount();
            assertThat(load.failure()).isNull();
            outage.end();

            await().atMost(MENDED).until(() -> weir.probe("/health").startsWith("200 {\"status\":\"up\""));
            load.stop();
            assertThat(load.failure()).isNull();
            long p99Before = load.percentile(99, "steady", warm, away);
            long p99During = load.percentile(99, "steady", away, back);
            long p99Bans = load.percentile(99, "ban", away, back);
            long bound = Math.max(5 * p99Before, NOISE_MILLIS);
            System.out.printf(
                    "away %d s: p50 %d ms before, %d ms during; p99 %d ms before, %d ms during, %d ms of bans; slowest %d ms;"
                            + " %d threads more%n",
                    (back - away) / 1_000_000_000,
                    load.percentile(50, "steady", warm, away),
                    load.percentile(50, "steady", away, back),
                    p99Before,
                    p99During,
                    p99Bans,
                    load.percentile(100, "steady", away, back),
                    peak - before);
            assertThat(p99During).as("p99 before was %d ms", p99Before).isLessThanOrEqualTo(bound);
            assertThat(p99Bans).isLessThanOrEqualTo(ANNOUNCE_MILLIS + bound);
            assertThat(peak - before).as("threads more than before").isLessThanOrEqualTo(MORE_THREADS);
            nothingIsMissing(weir, load.answered("steady"));
        }
    }

    /** At once, although the database does not answer. */
    private static void isToldOf(RunningWeir weir) {
        await().atMost(NOTICED).untilAsserted(() -> {
            long asked = System.nanoTime();
            assertThat(weir.probe("/health"))
                    .startsWith("200 {\"status\":\"degraded\",\"reason\":\"database: ")
                    .contains("\"throttles_dropped\":0")
                    .doesNotContain("secret");
            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(1));
            assertThat(weir.probe("/ready")).startsWith("200");
            Scrape numbers = Scrape.of(weir);
            assertThat(numbers.value("weir_database_up")).isZero();
            assertThat(numbers.value("weir_write_queue_length{queue=\"bans\"}")).isPositive();
        });
    }

    private static void nothingIsMissing(RunningWeir weir, int steady) {
        await().atMost(MENDED).untilAsserted(() -> {
            assertThat(number(weir, "SELECT COUNT(*) FROM ban")).isEqualTo(BANS);
            assertThat(number(weir, "SELECT COUNT(DISTINCT principal) FROM ban"))
                    .isEqualTo(BANS);
            // Not exactly as many: rows that were taken when the connection broke are written once more.
            assertThat(number(weir, "SELECT SUM(calls) FROM throttle_event WHERE decision = 'would_throttle'"))
                    .isGreaterThanOrEqualTo(steady);
        });
        assertThat(number(weir, "SELECT COUNT(*) FROM ban WHERE lifted_at IS NOT NULL"))
                .isZero();
    }

    private static long number(RunningWeir weir, String query) {
        return weir.database()
                .withHandle(handle -> handle.select(query).mapTo(Long.class).one());
    }

    private RunningWeir weir(DatabaseSettings settings) throws Exception {
        List<String> clients =
                IntStream.range(0, CALLERS).mapToObj(i -> "steady" + i).collect(Collectors.toList());
        IntStream.range(0, BANS).forEach(i -> clients.add("banned" + i));
        return RunningWeir.on(
                settings,
                upstream.base(),
                "INSERT INTO client (id, name) VALUES " + rows(clients, id -> "('" + id + "', 'x')"),
                "INSERT INTO client_key (sha256, client) VALUES "
                        + rows(clients, id -> "('" + ApiKey.digest("weir_" + id) + "', '" + id + "')"),
                "INSERT INTO tool_tier (name, rate_per_second, burst, mode) VALUES ('shady', 0, 0, 'shadow')",
                "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'shadowed', 'shady')",
                "UPDATE tool_tier SET rate_per_second = 0, burst = 0 WHERE name = 'heavy'",
                "INSERT INTO setting (name, content) VALUES ('ban.threshold', '0')");
    }

    private static String rows(List<String> ids, UnaryOperator<String> row) {
        return ids.stream().map(row).collect(Collectors.joining(", "));
    }

    private static String key(String kind, int number) {
        return "weir_" + kind + number;
    }
}
