package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.ban.BanBook;
import dev.weir.ban.BanWatch;
import dev.weir.ban.Standing;
import dev.weir.limit.BucketName;
import dev.weir.limit.Charge;
import dev.weir.limit.Level;
import dev.weir.limit.Limit;
import dev.weir.limit.LocalBuckets;
import dev.weir.limit.Outcome;
import dev.weir.limit.Take;
import dev.weir.limit.Tier;
import dev.weir.store.Database;
import dev.weir.store.DatabaseUnderTest;
import dev.weir.store.JdbcBanHistory;
import dev.weir.store.JdbcBucketSnapshots;
import dev.weir.store.OnEveryDatabase;
import dev.weir.store.WriteQueue;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is taken over at a start, where there is so much of it that it comes in many pieces. */
@OnEveryDatabase
class RestoreTest {

    private static final int PRINCIPALS = 2_000;
    private static final int TOOLS = 10;
    private static final int BURST = 1_000;
    private static final long NANOS_A_TOKEN = 1_000_000_000L * 1_000;
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private Database database;

    RestoreTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void everyBucketOwesWhatItsRowSays() {
        // Bucket n lacks n % burst tokens, and a little less than one more.
        database.jdbi()
                .useHandle(handle -> handle.execute(
                        "INSERT INTO bucket (level, principal, route, tool, rate_per_second, burst, full_at)"
                                + " SELECT 'tool', 'client:' || CAST(MOD(n, " + PRINCIPALS + ") AS VARCHAR), '/mcp',"
                                + " 'tool_' || CAST(n / " + PRINCIPALS + " AS VARCHAR), 0.001, " + BURST + ","
                                + " CAST(? AS TIMESTAMP WITH TIME ZONE) + MOD(n, " + BURST
                                + ") * INTERVAL '1000' SECOND"
                                + " + INTERVAL '999' SECOND"
                                + " FROM generate_series(0, " + (PRINCIPALS * TOOLS - 1) + ") AS numbers (n)",
                        NOW.atOffset(ZoneOffset.UTC)));
        LocalBuckets buckets = new LocalBuckets(PRINCIPALS, () -> 42);
        buckets.restoreFrom(new JdbcBucketSnapshots(database, () -> NOW));

        assertThat(buckets.principals()).isEqualTo(PRINCIPALS);
        Tier tier = Tier.of("t", Limit.of(0.001, BURST));
        for (int n = 0; n < PRINCIPALS * TOOLS; n++) {
            BucketName name = new BucketName(Level.TOOL, "/mcp", "tool_" + n / PRINCIPALS);
            Outcome outcome = buckets.take(
                    "client:" + n % PRINCIPALS, new Charge(List.of(new Take(name, tier, BURST - n % BURST))));
            assertThat(outcome)
                    .as("all but one of the tokens of bucket %d are there a second later", n)
                    .isInstanceOfSatisfying(
                            Outcome.Refused.class,
                            refused -> assertThat(refused.waitNanos()).isEqualTo(NANOS_A_TOKEN - 1_000_000_000L));
        }
        assertThat(buckets.overflowed()).isZero();
    }

    @Test
    void everyBanThatHoldsIsThere() {
        database.jdbi()
                .useHandle(handle -> handle.execute(
                        "INSERT INTO ban (principal, started_at, expires_at, lifted_at)"
                                + " SELECT 'client:' || CAST(n AS VARCHAR), CAST(? AS TIMESTAMP WITH TIME ZONE),"
                                + " CAST(? AS TIMESTAMP WITH TIME ZONE) + (MOD(n, 3) * 1000 - 500) * INTERVAL '1' SECOND,"
                                + " CASE WHEN MOD(n, 2) = 0 THEN CAST(? AS TIMESTAMP WITH TIME ZONE) END"
                                + " FROM generate_series(0, 19999) AS numbers (n)",
                        NOW.minusSeconds(3_600).atOffset(ZoneOffset.UTC),
                        NOW.atOffset(ZoneOffset.UTC),
                        NOW.atOffset(ZoneOffset.UTC)));
        BanBook bans = new BanBook(
                new JdbcBanHistory(database, WriteQueue.keeping(database), "node"),
                BanWatch.NONE,
                () -> NOW,
                () -> 42,
                () -> UUID.randomUUID().toString());
        int restored = bans.restore();

        int holding = 0;
        for (int n = 0; n < 20_000; n++) {
            Standing standing = bans.find("client:" + n);
            if (n % 2 == 1 && n % 3 > 0) {
                holding++;
                assertThat(standing)
                        .as("client:%d", n)
                        .isNotNull()
                        .extracting(found -> found.ban().expiresAt())
                        .isEqualTo(NOW.plusSeconds(n % 3 * 1_000 - 500));
            } else {
                assertThat(standing).as("client:%d", n).isNull();
            }
        }
        assertThat(restored).isEqualTo(holding);
    }
}
