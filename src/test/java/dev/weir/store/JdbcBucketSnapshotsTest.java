package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limit.BucketDebt;
import dev.weir.limit.BucketName;
import dev.weir.limit.Level;
import dev.weir.limit.Limit;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@OnEveryDatabase
class JdbcBucketSnapshotsTest {

    private static final long SECOND = 1_000_000_000;

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private Database database;
    private Instant now = Instant.parse("2026-11-30T12:00:00Z");
    private JdbcBucketSnapshots snapshots;

    JdbcBucketSnapshotsTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
        snapshots = new JdbcBucketSnapshots(database, () -> now);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void debtsComeBackShorterByTheTimeThatHasPassed() {
        snapshots.save(List.of(
                debt("client:a", Level.TOOL, "/mcp", "t", 10 * SECOND, 30 * SECOND),
                debt("client:a", Level.TOOL, "/mcp", "", 10 * SECOND, 0),
                debt("client:a", Level.CHANNEL, "/mcp", "", SECOND / 2, 0),
                debt("", Level.GLOBAL, "", "", 1_234_000, 0)));
        assertThat(load()).hasSize(4).contains(debt("", Level.GLOBAL, "", "", 1_234_000, 0));

        now = now.plusSeconds(4);
        assertThat(load())
                .containsExactlyInAnyOrder(
                        debt("client:a", Level.TOOL, "/mcp", "t", 6 * SECOND, 26 * SECOND),
                        debt("client:a", Level.TOOL, "/mcp", "", 6 * SECOND, 0));
    }

    @Test
    void aCoolDownThatOutlastsTheDebtIsKept() {
        snapshots.save(List.of(debt("client:a", Level.TOOL, "/mcp", "t", SECOND, 30 * SECOND)));
        now = now.plusSeconds(2);
        assertThat(load()).containsExactly(debt("client:a", Level.TOOL, "/mcp", "t", 0, 28 * SECOND));
        assertThat(snapshots.purge()).isZero();
    }

    @Test
    void ofSeveralNodesTheLaterEndOfADebtAndTheLaterEndOfACoolDownStay() {
        snapshots.save(List.of(debt("client:a", Level.TOOL, "/mcp", "t", 10 * SECOND, 0)));
        snapshots.save(List.of(
                debt("client:a", Level.TOOL, "/mcp", "t", 3 * SECOND, 30 * SECOND),
                debt("client:b", Level.TOOL, "/mcp", "t", 4 * SECOND, 0)));
        snapshots.save(List.of(debt("client:a", Level.TOOL, "/mcp", "t", 2 * SECOND, 0)));
        assertThat(load())
                .containsExactlyInAnyOrder(
                        debt("client:a", Level.TOOL, "/mcp", "t", 10 * SECOND, 30 * SECOND),
                        debt("client:b", Level.TOOL, "/mcp", "t", 4 * SECOND, 0));

        now = now.plusSeconds(8);
        snapshots.save(List.of(debt("client:a", Level.TOOL, "/mcp", "t", 5 * SECOND, 25 * SECOND)));
        assertThat(load()).containsExactly(debt("client:a", Level.TOOL, "/mcp", "t", 5 * SECOND, 25 * SECOND));
    }

    /** The row's rate, burst and debt in seconds; the same of what is saved; and the debt that is kept, under the latter limit. */
    @ParameterizedTest
    @CsvSource({
        "0.1, 50, 100,  1, 50, 10,  10",
        "1, 50, 10,  0.1, 50, 100,  100",
        "0.1, 50, 100,  1, 50, 2,  10",
        "1, 5, 4,  1, 50, 1,  49",
        "1, 50, 45,  1, 5, 1,  1",
        "1, 50, 49,  2, 5, 1,  2",
        "1, 50, 10,  2, 50, 20,  20",
        "1, 50, 10,  2, 50, 0,  5",
        "1, 50, 1000,  2, 50, 0,  25",
    })
    void aBucketUnderAnotherLimitHoldsAsManyTokensUnderTheNewOneOrAsManyAsFit(
            double rate, long burst, long seconds, double newRate, long newBurst, long newSeconds, long kept) {
        BucketName name = new BucketName(Level.TOOL, "/mcp", "t");
        Limit before = Limit.of(rate, burst);
        Limit after = Limit.of(newRate, newBurst);
        snapshots.save(List.of(new BucketDebt("client:a", name, before, seconds * SECOND, 30 * SECOND)));
        snapshots.save(List.of(new BucketDebt("client:a", name, after, newSeconds * SECOND, 0)));
        assertThat(load()).containsExactly(new BucketDebt("client:a", name, after, kept * SECOND, 30 * SECOND));
    }

    @Test
    void manyAreSavedAndThoseInThePastArePurged() {
        List<BucketDebt> debts = IntStream.range(0, 2_500)
                .mapToObj(i -> debt("client:" + i, Level.CHANNEL, "/mcp", "", (i % 2 + 1) * SECOND, 0))
                .toList();
        snapshots.save(debts);
        assertThat(load()).containsExactlyInAnyOrderElementsOf(debts);
        now = now.plusSeconds(1);
        assertThat(snapshots.purge()).isEqualTo(1_250);
        assertThat(snapshots.purge()).isZero();
        assertThat(load()).hasSize(1_250);
    }

    @Test
    void allAreSavedOrNone() {
        run("ALTER TABLE bucket ADD CONSTRAINT refused CHECK (principal <> 'client:1500')");
        List<BucketDebt> debts = IntStream.range(0, 2_000)
                .mapToObj(i -> debt("client:" + i, Level.CHANNEL, "/mcp", "", SECOND, 0))
                .toList();
        assertThatThrownBy(() -> snapshots.save(debts)).isInstanceOf(RuntimeException.class);
        assertThat(load()).isEmpty();
    }

    @Test
    void nodesThatSaveTheSameBucketsInDifferentOrdersDoNotStandInEachOthersWay() throws Exception {
        List<BucketDebt> debts = IntStream.range(0, 1_500)
                .mapToObj(i -> debt("client:" + i, Level.CHANNEL, "/mcp", "", 60 * SECOND, 0))
                .toList();
        List<BucketDebt> reversed = new ArrayList<>(debts);
        Collections.reverse(reversed);
        snapshots.save(debts);
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 10; i++) {
                snapshots.save(reversed);
            }
        });
        for (int i = 0; i < 10; i++) {
            snapshots.save(debts);
        }
        assertThat(other).succeedsWithin(Duration.ofSeconds(20));
    }

    @Test
    void anInstantFarAwayIsReadAsTheLongestDebt() {
        run("INSERT INTO bucket (level, principal, route, tool, rate_per_second, burst, full_at)"
                + " VALUES ('global', '', '', '', 0.1, 50,"
                + " TIMESTAMP WITH TIME ZONE '9999-01-01 00:00:00+00')");
        assertThat(load()).containsExactly(debt("", Level.GLOBAL, "", "", BucketRows.LONGEST.toNanos(), 0));
    }

    @Test
    void aRowThatNoLimitCanBeMadeOfIsLeftOutAndReplacedWhenItsBucketIsSaved() {
        run("INSERT INTO bucket (level, principal, route, tool, rate_per_second, burst, full_at)"
                + " VALUES ('global', '', '', '', 0.001, 9000000000000000000,"
                + " TIMESTAMP WITH TIME ZONE '9999-01-01 00:00:00+00')");
        snapshots.save(List.of(debt("", Level.ROUTE, "/mcp", "", 60_000_000_000L, 0)));
        assertThat(load()).extracting(BucketDebt::bucket).containsExactly(new BucketName(Level.ROUTE, "/mcp", ""));
        snapshots.save(List.of(debt("", Level.GLOBAL, "", "", 60_000_000_000L, 0)));
        assertThat(load()).hasSize(2);
    }

    private List<BucketDebt> load() {
        List<BucketDebt> debts = new ArrayList<>();
        snapshots.load(debts::add);
        return debts;
    }

    private static BucketDebt debt(String principal, Level level, String route, String tool, long full, long shut) {
        return new BucketDebt(principal, new BucketName(level, route, tool), Limit.of(0.1, 50), full, shut);
    }

    private void run(String sql) {
        database.jdbi().useHandle(handle -> handle.execute(sql));
    }
}
