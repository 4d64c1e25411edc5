package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.store.Database;
import dev.weir.store.DatabaseSettings;
import dev.weir.store.DatabaseUnderTest;
import dev.weir.store.OnEveryDatabase;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** O55: a ban and what becomes of it while Weir is down. Time is made to pass by moving the ban into the past meanwhile. */
@OnEveryDatabase
@Timeout(120)
class BanAndRestartTest {

    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private DatabaseSettings settings;
    private StubUpstream upstream;
    private RunningWeir weir;

    BanAndRestartTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void banC1() throws Exception {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
        settings = kind.fresh(directory);
        weir = RunningWeir.on(
                settings,
                upstream.base(),
                "UPDATE tool_tier SET rate_per_second = 0.001, burst = 1, cooldown_seconds = 0 WHERE name = 'heavy'",
                "INSERT INTO setting (name, content) VALUES ('ban.threshold', '0')");
        await().until(() -> ask("T1").contains("banned"));
    }

    @AfterEach
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    @Test
    void atMinuteFiveTenMinutesAreLeft() throws Exception {
        restartAfterMinutes(5);
        assertThat(ask("T2")).containsPattern("banned from tool calls for another (9m 5[0-9]s|10m 0s)");
    }

    @Test
    void afterSixteenMinutesTheBanIsOverAndTheNextOneIsLonger() throws Exception {
        restartAfterMinutes(16);
        assertThat(ask("T2")).contains("result");
        assertThat(rows("lifted_at IS NULL")).as("its row stays").hasSize(1);
        await().until(() -> ask("T1").contains("banned"));
        assertThat(ask("T2")).containsPattern("another (29m 5[0-9]s|30m 0s)");
        assertThat(rows("TRUE")).containsExactly("0", "1");
    }

    @Test
    void aBanThatIsLiftedBySqlOnARunningWeirStaysLifted() throws Exception {
        weir.sql("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP, lifted_by = 'ops', lift_reason = 'mended'");
        await().atMost(ONE_SECOND).until(() -> ask("T2").contains("result"));
        restartAfterMinutes(0);
        assertThat(ask("T2")).contains("result");
        assertThat(rows("lifted_by = 'ops' AND lift_reason = 'mended'")).hasSize(1);
    }

    @Test
    void aBanThatIsLiftedWhileWeirIsDownIsLiftedWhenItIsBack() throws Exception {
        weir.close();
        run("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP");
        weir = RunningWeir.on(settings, upstream.base());
        assertThat(ask("T2")).contains("result");
        assertThat(rows("TRUE")).hasSize(1);
    }

    @Test
    void aBanComesBackWithItsEndAndNotForEver() throws Exception {
        restartAfterMinutes(0);
        assertThat(ask("T2")).containsPattern("another (14m 5[0-9]s|15m 0s)");
        assertThat(rows("expires_at > started_at + INTERVAL '899' SECOND"
                        + " AND expires_at < started_at + INTERVAL '901' SECOND"))
                .hasSize(1);
    }

    private void restartAfterMinutes(int minutes) throws Exception {
        weir.close();
        run("UPDATE ban SET started_at = started_at - INTERVAL '" + minutes
                + "' MINUTE, expires_at = expires_at - INTERVAL '" + minutes + "' MINUTE");
        weir = RunningWeir.on(settings, upstream.base());
    }

    private void run(String sql) throws Exception {
        try (Database database = Database.open(settings)) {
            database.jdbi().useHandle(handle -> handle.execute(sql));
        }
    }

    /** The escalations of the bans of c1. */
    private List<String> rows(String where) {
        return weir.database()
                .withHandle(handle -> handle.select(
                                "SELECT escalation FROM ban WHERE principal = 'client:c1' AND " + where + " ORDER BY 1")
                        .mapTo(String.class)
                        .list());
    }

    private String ask(String tool) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(post(K1, call(1, tool)));
            return wire.answer().body();
        }
    }
}
