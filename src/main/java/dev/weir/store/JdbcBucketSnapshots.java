package dev.weir.store;

import dev.weir.limit.BucketDebt;
import dev.weir.limit.BucketSnapshots;
import java.sql.ResultSet;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * Debts in table {@code bucket}, as instants of the wall clock. A debt that would have ended beyond {@link BucketRows#LONGEST} from now
 * comes back as that.
 *
 * <p><b>Several nodes</b> count the same bucket each for itself and save it into the same row, in which the later end of a debt
 * and the later end of a cool-down stay. Ends are compared under one limit: a bucket whose row was saved under another is first
 * taken to hold as many tokens under the limit of who saves, or as many as fit, as when a bucket itself is counted against a
 * changed limit; that limit is then the row's. So a larger rate ends an old debt sooner, and a smaller one later, whoever saves
 * first. The price: what a node takes back of its own debt shows in the row only as time passes.
 */
public final class JdbcBucketSnapshots implements BucketSnapshots {

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
        List<BucketDebt> left = without(debts, update(handle, debts, now));
        left = without(left, insert(handle, left, now));
        left.forEach(debt -> convert(handle, debt, now));
    }

    /** Those of the rows that were saved under the same limit, where an instant is later if it is later. */
    private static int[] update(Handle handle, List<BucketDebt> debts, Instant now) {
        try (PreparedBatch update = handle.prepareBatch("UPDATE bucket SET"
                + " full_at = CASE WHEN full_at < :full_at THEN :full_at ELSE full_at END,"
                + " shut_until = CASE WHEN shut_until IS NULL OR shut_until < :shut_until"
                + " THEN :shut_until ELSE shut_until END"
                + " WHERE " + KEY + " AND rate_per_second = :rate AND burst = :burst")) {
            debts.forEach(debt -> bind(update, debt, now));
            return update.execute();
        }
    }

    private static int[] insert(Handle handle, List<BucketDebt> debts, Instant now) {
        if (debts.isEmpty()) {
            return new int[0];
        }
        try (PreparedBatch insert = handle.prepareBatch("INSERT INTO bucket"
                + " (level, principal, route, tool, rate_per_second, burst, full_at, shut_until)"
                + " VALUES (:level, :principal, :route, :tool, :rate, :burst, :full_at, :shut_until)"
                + " ON CONFLICT DO NOTHING")) {
            debts.forEach(debt -> bind(insert, debt, now));
            return insert.execute();
        }
    }

    /** One of which there is a row under another limit; or of which another node has made one this very moment. */
    private static void convert(Handle handle, BucketDebt debt, Instant now) {
        BucketRows reader = new BucketRows(now);
        Optional<BucketDebt> there = handle.createQuery(BucketRows.SELECT + " WHERE " + KEY + " FOR UPDATE")
                .bind("level", debt.bucket().level().word())
                .bind("principal", debt.principal())
                .bind("route", debt.bucket().route())
                .bind("tool", debt.bucket().tool())
                .map((row, context) -> Optional.ofNullable(reader.read(row)))
                .one();
        BucketDebt later = there.map(row -> later(debt, row)).orElse(debt);
        try (PreparedBatch update =
                handle.prepareBatch("UPDATE bucket SET full_at = :full_at, shut_until = :shut_until,"
                        + " rate_per_second = :rate, burst = :burst WHERE " + KEY)) {
            bind(update, later, now);
            var unused = update.execute();
        }
    }

    private static BucketDebt later(BucketDebt debt, BucketDebt row) {
        long owed = Math.min(row.fullNanos(), row.limit().fillNanos());
        return new BucketDebt(
                debt.principal(),
                debt.bucket(),
                debt.limit(),
                Math.max(debt.fullNanos(), debt.limit().owedWith(row.limit(), owed)),
                Math.max(debt.shutNanos(), row.shutNanos()));
    }

    private static List<BucketDebt> without(List<BucketDebt> debts, int[] rows) {
        List<BucketDebt> left = new ArrayList<>();
        for (int i = 0; i < rows.length; i++) {
            if (rows[i] == 0) {
                left.add(debts.get(i));
            }
        }
        return left;
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

    /**
     * {@inheritDoc} There may be millions of rows. So they are read without anything in between, and those that no longer stand
     * are passed over here, where it costs less than in the database.
     */
    @Override
    public void load(Consumer<BucketDebt> each) {
        BucketRows reader = new BucketRows(clock.instant());
        database.stream(handle -> handle.createQuery(BucketRows.SELECT)
                .setFetchSize(FETCH)
                .scanResultSet((rows, context) -> {
                    ResultSet row = rows.get();
                    while (row.next()) {
                        BucketDebt debt = reader.read(row);
                        if (debt != null && (debt.fullNanos() > 0 || debt.shutNanos() > 0)) {
                            each.accept(debt);
                        }
                    }
                    return null;
                }));
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
