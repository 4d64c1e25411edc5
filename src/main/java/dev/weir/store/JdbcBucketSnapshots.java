package dev.weir.store;

import dev.weir.limit.BucketDebt;
import dev.weir.limit.BucketName;
import dev.weir.limit.BucketSnapshots;
import dev.weir.limit.Level;
import dev.weir.limit.Limit;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/**
 * Debts in table {@code bucket}, as instants of the wall clock. A debt that would have ended beyond {@link #LONGEST} from now
 * comes back as that.
 */
public final class JdbcBucketSnapshots implements BucketSnapshots {

    /** Longer than any limit takes to fill. */
    static final Duration LONGEST = Duration.ofDays(365 * 80);

    private static final int BATCH = 1_000;
    private static final int FETCH = 2_000;
    private static final String KEY = "level = :level AND principal = :principal AND route = :route AND tool = :tool";

    private static final Comparator<BucketDebt> BY_KEY = Comparator.comparing(
                    (BucketDebt debt) -> debt.bucket().level())
            .thenComparing(BucketDebt::principal)
            .thenComparing(debt -> debt.bucket().route())
            .thenComparing(debt -> debt.bucket().tool());

    private final Database database;
    private final Jdbi jdbi;
    private final InstantSource clock;

    /** @param clock the wall clock, against which debts are kept */
    public JdbcBucketSnapshots(Database database, InstantSource clock) {
        this.database = database;
        this.jdbi = database.jdbi();
        this.clock = clock;
    }

    /** Saves all or none. */
    @Override
    public void save(List<BucketDebt> debts) {
        Instant now = clock.instant();
        List<BucketDebt> sorted = new ArrayList<>(debts);
        // In the order of their keys, because nodes that save the same rows in different orders would wait for each
        // other.
        sorted.sort(BY_KEY);
        jdbi.useTransaction(handle -> {
            for (int i = 0; i < sorted.size(); i += BATCH) {
                save(handle, sorted.subList(i, Math.min(i + BATCH, sorted.size())), now);
            }
        });
    }

    /** An update, then an insert of what there was nothing to update of: no single statement for this is taken everywhere. */
    private static void save(Handle handle, List<BucketDebt> debts, Instant now) {
        List<BucketDebt> fresh = new ArrayList<>();
        try (PreparedBatch update =
                handle.prepareBatch("UPDATE bucket SET full_at = :full_at, shut_until = :shut_until,"
                        + " rate_per_second = :rate, burst = :burst WHERE " + KEY)) {
            debts.forEach(debt -> bind(update, debt, now));
            int[] updated = update.execute();
            for (int i = 0; i < updated.length; i++) {
                if (updated[i] == 0) {
                    fresh.add(debts.get(i));
                }
            }
        }
        if (!fresh.isEmpty()) {
            try (PreparedBatch insert = handle.prepareBatch("INSERT INTO bucket"
                    + " (level, principal, route, tool, rate_per_second, burst, full_at, shut_until)"
                    + " VALUES (:level, :principal, :route, :tool, :rate, :burst, :full_at, :shut_until)"
                    + " ON CONFLICT DO NOTHING")) {
                fresh.forEach(debt -> bind(insert, debt, now));
                insert.execute();
            }
        }
    }

    private static void bind(PreparedBatch batch, BucketDebt debt, Instant now) {
        batch.bind("level", debt.bucket().level().word())
                .bind("principal", debt.principal())
                .bind("route", debt.bucket().route())
                .bind("tool", debt.bucket().tool())
                .bind("rate", debt.limit().ratePerSecond())
                .bind("burst", debt.limit().capacity())
                .bind("full_at", after(now, debt.fullNanos()))
                .bindByType(
                        "shut_until", debt.shutNanos() > 0 ? after(now, debt.shutNanos()) : null, OffsetDateTime.class)
                .add();
    }

    private static OffsetDateTime after(Instant now, long nanos) {
        return SqlTime.of(now.plusNanos(Math.max(0, nanos)));
    }

    /** {@inheritDoc} Debts of one name or limit share it, because there are few of those and may be millions of debts. */
    @Override
    public void load(Consumer<BucketDebt> each) {
        Instant now = clock.instant();
        Map<BucketName, BucketName> names = new HashMap<>();
        Map<Limit, Limit> limits = new HashMap<>();
        database.stream(handle -> handle.createQuery("SELECT level, principal, route, tool, rate_per_second, burst,"
                        + " full_at, shut_until FROM bucket WHERE full_at > :now OR shut_until > :now")
                .bind("now", SqlTime.of(now))
                .setFetchSize(FETCH)
                .map((row, context) -> debt(row, names, limits, now))
                .useStream(debts -> debts.flatMap(Optional::stream).forEach(each)));
    }

    private static Optional<BucketDebt> debt(
            ResultSet row, Map<BucketName, BucketName> names, Map<Limit, Limit> limits, Instant now)
            throws SQLException {
        Level level = level(row.getString("level"));
        if (level == null) {
            return Optional.empty();
        }
        BucketName name = new BucketName(level, row.getString("route"), row.getString("tool"));
        Limit limit = Limit.of(row.getDouble("rate_per_second"), row.getLong("burst"));
        return Optional.of(new BucketDebt(
                row.getString("principal"),
                names.computeIfAbsent(name, same -> same),
                limits.computeIfAbsent(limit, same -> same),
                nanos(now, SqlTime.read(row, "full_at")),
                nanos(now, SqlTime.read(row, "shut_until"))));
    }

    private static @Nullable Level level(String word) {
        for (Level level : Level.values()) {
            if (level.word().equals(word)) {
                return level;
            }
        }
        return null;
    }

    private static long nanos(Instant now, @Nullable Instant end) {
        if (end == null || !end.isAfter(now)) {
            return 0;
        }
        Duration left = Duration.between(now, end);
        return (left.compareTo(LONGEST) < 0 ? left : LONGEST).toNanos();
    }

    /**
     * Deletes what no longer stands.
     *
     * @return how many rows that were
     */
    public int purge() {
        return jdbi.withHandle(handle -> handle.createUpdate(
                        "DELETE FROM bucket WHERE full_at <= :now AND (shut_until IS NULL OR shut_until <= :now)")
                .bind("now", SqlTime.of(clock.instant()))
                .execute());
    }
}
