package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.store.Database;
import dev.weir.store.DatabaseSettings;
import dev.weir.store.DatabaseUnderTest;
import dev.weir.store.OnEveryDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Weir is killed at a random moment, again and again, while agents run into their limits: no ban that was told is lost, and no
 * agent gets more of a bucket back than what it took in the last two seconds.
 */
@OnEveryDatabase
@Timeout(1_800)
class KillIT {

    private static final int ROUNDS = Integer.getInteger("weir.kill.rounds", 2);
    private static final long SEED = Long.getLong("weir.kill.seed", System.nanoTime());
    private static final int EARLIEST_MILLIS = 200;
    private static final int LATEST_MILLIS = 5_000;

    /** What is promised, and the time that a saving itself may take on a machine that does other things too. */
    private static final Duration NOT_SAVED_YET = Duration.ofSeconds(2).plusMillis(500);

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private final Random random = new Random(SEED);
    private DatabaseSettings settings;
    private Arrivals arrivals;
    private KilledHistory history;

    /** How far back the oldest take went that a kill has given back. */
    private Duration oldestGivenBack = Duration.ZERO;

    KillIT(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void prepare() throws Exception {
        arrivals = new Arrivals();
        settings = kind.fresh(directory);
        history = new KilledHistory(settings);
        try (Database database = Database.open(settings)) {
            database.jdbi().useHandle(handle -> {
                handle.execute("INSERT INTO route (prefix, upstream_url) VALUES ('/mcp', ?)", arrivals.url() + "");
                handle.execute(
                        "UPDATE tool_tier SET cooldown_seconds = ? WHERE name = 'heavy'", Budget.COOLDOWN_SECONDS);
                handle.execute(
                        "INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('drip', 0.01, ?)", Budget.BURST);
                handle.execute(
                        "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'inspect', 'heavy'), ('/mcp', 'drip', 'drip')");
                // So that bans come as fast as calls do.
                handle.execute("INSERT INTO setting (name, content) VALUES ('ban.count', 'every'),"
                        + " ('global.requests_per_second', '100000'), ('global.burst', '100000')");
            });
        }
        history.addEnded();
    }

    @AfterEach
    void close() throws Exception {
        arrivals.close();
    }

    @Test
    void whatWasToldSurvivesAKillAtAnyMoment() throws Exception {
        WeirProcess weir = start();
        try {
            for (int round = 0; round < ROUNDS; round++) {
                KillLoad load = new KillLoad("round-" + round, weir.url());
                long killed = runAndKill(weir, load);
                history.afterKill(load.announced());
                weir = start();
                AgentCaller caller = new AgentCaller(weir.url());
                history.afterRestart(caller);
                Budget budget = new Budget(arrivals, load, killed, caller);
                oldestGivenBack = max(oldestGivenBack, budget.oldestGivenBack());
                assertThat(oldestGivenBack)
                        .as("the age of a take that was given back, round %d, seed %d", round, SEED)
                        .isLessThanOrEqualTo(NOT_SAVED_YET);
                budget.coolDownsGoOn(NOT_SAVED_YET);
            }
            System.out.printf(
                    "%s: %d kills, seed %d; %s; the oldest take that was given back was %d ms old%n",
                    kind, ROUNDS, SEED, history, oldestGivenBack.toMillis());
        } finally {
            weir.close();
        }
    }

    @Test
    void aCleanStopGivesNothingBack() throws Exception {
        KillLoad load;
        long stopped;
        try (WeirProcess weir = start()) {
            load = new KillLoad("stopped", weir.url());
            try (load) {
                load.start();
                await("bans in the midst of the load")
                        .until(() -> load.announced().size() >= 10);
                weir.stop();
                stopped = System.nanoTime();
            }
        }
        history.afterKill(load.announced());
        try (WeirProcess weir = start()) {
            AgentCaller caller = new AgentCaller(weir.url());
            history.afterRestart(caller);
            Budget budget = new Budget(arrivals, load, stopped, caller);
            assertThat(budget.oldestGivenBack()).isZero();
            budget.coolDownsGoOn(Duration.ZERO);
        }
    }

    /** Kills Weir somewhere in the load, just after a ban was lifted, and says when that was. */
    private long runAndKill(WeirProcess weir, KillLoad load) throws Exception {
        long killed;
        try (load) {
            load.start();
            // The moment is what is drawn: any event that were awaited here would be the only one at which Weir is
            // killed.
            Thread.sleep(EARLIEST_MILLIS + random.nextInt(LATEST_MILLIS - EARLIEST_MILLIS));
            history.liftOne(load.announced());
            killed = System.nanoTime();
            weir.kill();
        }
        assertThat(load.failures()).isEmpty();
        return killed;
    }

    private WeirProcess start() throws InterruptedException {
        Map<String, String> environment = new HashMap<>();
        environment.put("MCP_DATA_DIR", directory.toString());
        environment.put("MCP_DB_URL", settings.url());
        environment.put("MCP_DB_USER", settings.user());
        if (settings.password() != null) {
            environment.put("MCP_DB_PASSWORD", settings.password());
        }
        environment.put("MCP_AUTH_REQUIRED", "false");
        environment.put("MCP_RATE_LIMIT_KEY_STRATEGY", "ip_user_agent");
        return WeirProcess.start(directory, environment).awaitReady();
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
