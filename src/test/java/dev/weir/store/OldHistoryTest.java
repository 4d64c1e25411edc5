package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@OnEveryDatabase
class OldHistoryTest {

    private static final Instant THEN = Instant.parse("2026-11-30T12:00:00Z");

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private Database database;
    private OldHistory history;

    OldHistoryTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
        history = new OldHistory(database);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void throttlesOlderThanAnInstantAreDeleted() {
        throttles(-1, 3);
        throttles(0, 2);
        throttles(1, 1);
        assertThat(history.deleteThrottles(THEN)).isEqualTo(3);
        assertThat(history.deleteThrottles(THEN)).isZero();
        assertThat(strings("SELECT CAST(COUNT(*) AS VARCHAR) FROM throttle_event"))
                .containsExactly("3");
    }

    @Test
    void changesOlderThanAnInstantAreDeleted() {
        for (int seconds : new int[] {-2, -1, 0, 1}) {
            database.jdbi()
                    .useHandle(handle -> handle.execute(
                            "INSERT INTO admin_event (happened_at, changed_by, action, table_name, row_name)"
                                    + " VALUES (?, 'ann', 'insert', 'tool', 'x')",
                            SqlTime.of(THEN.plusSeconds(seconds))));
        }
        assertThat(history.deleteEvents(THEN)).isEqualTo(2);
        assertThat(history.deleteEvents(THEN)).isZero();
        assertThat(strings("SELECT CAST(COUNT(*) AS VARCHAR) FROM admin_event")).containsExactly("2");
    }

    @Test
    void manyRowsAreDeletedInSeveralTransactions() {
        throttles(-1, 2 * OldHistory.BATCH + 1);
        assertThat(history.deleteThrottles(THEN)).isEqualTo(OldHistory.BATCH);
        assertThat(history.deleteThrottles(THEN)).isEqualTo(OldHistory.BATCH);
        assertThat(history.deleteThrottles(THEN)).isEqualTo(1);
    }

    @Test
    void aBanIsOldByItsLiftOrElseByItsEnd() {
        ban("lifted before", 10, -1L);
        ban("lifted after", -1, 1L);
        ban("over before", -1, null);
        ban("over after", 1, null);
        ban("holds", 1_000_000, null);
        assertThat(history.deleteLiftedBans(THEN)).isEqualTo(1);
        assertThat(strings("SELECT id FROM ban ORDER BY id"))
                .containsExactly("holds", "lifted after", "over after", "over before");
        assertThat(history.deleteExpiredBans(THEN)).isEqualTo(1);
        assertThat(strings("SELECT id FROM ban ORDER BY id")).containsExactly("holds", "lifted after", "over after");
    }

    /** Rows of so many seconds after the instant that the tests ask for. */
    private void throttles(long seconds, int rows) {
        database.jdbi()
                .useHandle(handle -> handle.createUpdate(
                                "INSERT INTO throttle_event (happened_at, principal, level, calls)"
                                        + " SELECT CAST(:at AS TIMESTAMP WITH TIME ZONE), 'client:a', 'tool', 1"
                                        + " FROM generate_series(1, CAST(:rows AS INT)) AS numbers (n)")
                        .bind("at", SqlTime.of(THEN.plusSeconds(seconds)))
                        .bind("rows", rows)
                        .execute());
    }

    /** A ban that is over, and was lifted, so many seconds after that instant. */
    private void ban(String id, long over, @Nullable Long lifted) {
        database.jdbi()
                .useHandle(handle -> handle.createUpdate(
                                "INSERT INTO ban (id, principal, started_at, expires_at, lifted_at)"
                                        + " VALUES (:id, 'client:a', :started, :over, :lifted)")
                        .bind("id", id)
                        .bind("started", SqlTime.of(THEN.minus(Duration.ofDays(1))))
                        .bind("over", SqlTime.of(THEN.plusSeconds(over)))
                        .bind("lifted", lifted == null ? null : SqlTime.of(THEN.plusSeconds(lifted)))
                        .execute());
    }

    private List<String> strings(String query) {
        return database.jdbi()
                .withHandle(
                        handle -> handle.createQuery(query).mapTo(String.class).list());
    }
}
