package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyRejectedException;
import dev.weir.policy.PolicyRows;
import dev.weir.store.Database;
import dev.weir.store.DatabaseUnderTest;
import dev.weir.store.OldHistory;
import dev.weir.store.OnEveryDatabase;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** History is kept for as long as the settings say, and a ban for as long as it makes another one longer. */
@OnEveryDatabase
class HistoryCleanerTest {

    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

    @TempDir
    Path directory;

    private final LogLines lines = new LogLines(HistoryCleaner.class);
    private final List<PolicyRows.Setting> settings = new ArrayList<>();
    private final DatabaseUnderTest kind;
    private Database database;

    HistoryCleanerTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
    }

    @AfterEach
    void close() {
        database.close();
        lines.close();
    }

    @Test
    void byItselfAMonthOfThrottlesAndAYearOfBansAndChangesAreKept() throws Exception {
        throttles(29, 1);
        throttles(31, 2);
        ban("holds", -1);
        ban("new", 364);
        ban("old", 366);
        change(364);
        change(366);
        clean();
        assertThat(kept("throttle_event")).isEqualTo(1);
        assertThat(kept("admin_event")).isEqualTo(1);
        assertThat(bans()).containsExactly("holds", "new");
        assertThat(lines.of("history_deleted")).hasSize(1);
        clean();
        assertThat(lines.of("history_deleted")).hasSize(1);
    }

    @Test
    void nothingIsDeletedAsLongAsNobodyKnowsWhatTheTablesSay() {
        throttles(31, 2);
        ban("old", 366);
        new HistoryCleaner(new OldHistory(database), () -> null, () -> NOW).clean();
        assertThat(kept("throttle_event")).isEqualTo(2);
        assertThat(bans()).containsExactly("old");
    }

    @Test
    void theSettingsSayHowManyDays() throws Exception {
        setting("retention.throttle_event_days", 2);
        setting("retention.ban_days", 8);
        setting("retention.admin_event_days", 3);
        change(2);
        change(4);
        throttles(1, 1);
        throttles(3, 1);
        ban("new", 7);
        ban("old", 9);
        clean();
        assertThat(kept("throttle_event")).isEqualTo(1);
        assertThat(kept("admin_event")).isEqualTo(1);
        assertThat(bans()).containsExactly("new");
    }

    @Test
    void zeroKeepsForEver() throws Exception {
        setting("retention.throttle_event_days", 0);
        setting("retention.ban_days", 0);
        setting("retention.admin_event_days", 0);
        change(20_000);
        throttles(20_000, 1);
        ban("old", 20_000);
        clean();
        assertThat(kept("throttle_event")).isEqualTo(1);
        assertThat(kept("admin_event")).isEqualTo(1);
        assertThat(bans()).containsExactly("old");
    }

    @Test
    void aBanThatMakesTheNextOneLongerIsKept() throws Exception {
        setting("retention.ban_days", 1);
        setting("ban.forget_days", 5);
        ban("remembered", 4);
        ban("forgotten", 6);
        ban("lifted", 4);
        database.jdbi()
                .useHandle(handle -> handle.execute("UPDATE ban SET lifted_at = expires_at WHERE id = 'lifted'"));
        clean();
        assertThat(bans()).containsExactly("remembered");
    }

    @Test
    void aGreatManyRowsAreDeletedInSeveralTurns() throws Exception {
        throttles(31, 25 * OldHistory.BATCH);
        clean();
        assertThat(kept("throttle_event")).isEqualTo(5 * OldHistory.BATCH);
        clean();
        assertThat(kept("throttle_event")).isZero();
    }

    private void clean() throws PolicyRejectedException {
        PolicyRows rows = new PolicyRows(
                List.of(new PolicyRows.Tier("standard", 10, 20, 0, 0, 0, "enforce")),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                settings);
        Policy policy = Policy.compile(rows, new PolicyBase(true, Limit.of(100, 50), Limit.of(1_000, 2_000), null));
        new HistoryCleaner(new OldHistory(database), () -> policy, () -> NOW).clean();
    }

    private void setting(String name, int days) {
        settings.add(new PolicyRows.Setting(name, "" + days));
    }

    private void throttles(int daysAgo, int rows) {
        database.jdbi()
                .useHandle(handle -> handle.execute(
                        "INSERT INTO throttle_event (happened_at, principal, level, calls)"
                                + " SELECT CAST(? AS TIMESTAMP WITH TIME ZONE), 'client:a', 'tool', 1"
                                + " FROM generate_series(1, CAST(? AS INT)) AS numbers (n)",
                        NOW.minus(daysAgo, ChronoUnit.DAYS).atOffset(ZoneOffset.UTC),
                        rows));
    }

    /** A change that an operator made so many days ago. */
    private void change(int daysAgo) {
        database.jdbi()
                .useHandle(handle -> handle.execute(
                        "INSERT INTO admin_event (happened_at, changed_by, action, table_name, row_name)"
                                + " VALUES (?, 'ann', 'insert', 'tool', 'x')",
                        NOW.minus(daysAgo, ChronoUnit.DAYS).atOffset(ZoneOffset.UTC)));
    }

    /** A ban for strikes that was over so many days ago. */
    private void ban(String id, int daysAgo) {
        Instant over = NOW.minus(daysAgo, ChronoUnit.DAYS);
        database.jdbi()
                .useHandle(handle -> handle.execute(
                        "INSERT INTO ban (id, principal, strikes, started_at, expires_at) VALUES (?, 'client:a', 6, ?, ?)",
                        id,
                        over.minus(2, ChronoUnit.DAYS).atOffset(ZoneOffset.UTC),
                        over.atOffset(ZoneOffset.UTC)));
    }

    private long kept(String table) {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT COUNT(*) FROM " + table)
                        .mapTo(Long.class)
                        .one());
    }

    private List<String> bans() {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT id FROM ban ORDER BY id")
                        .mapTo(String.class)
                        .list());
    }
}
