package dev.weir.store;

import dev.weir.limit.BucketDebt;
import dev.weir.limit.BucketName;
import dev.weir.limit.Level;
import dev.weir.limit.Limit;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads rows of table {@code bucket}, which anybody may have written. A row that cannot be read is complained of in the log.
 * Debts of one name or limit share it, because there are few of those and may be millions of debts. Is used by one thread.
 */
final class BucketRows {

    /** The columns in the order in which they are read. */
    static final String SELECT =
            "SELECT level, principal, route, tool, rate_per_second, burst, full_at, shut_until FROM bucket";

    /** Longer than any limit takes to fill. */
    static final Duration LONGEST = Duration.ofDays(365 * 80);

    private static final Logger log = LoggerFactory.getLogger(BucketRows.class);

    private final Instant now;
    private final Map<BucketName, BucketName> names = new HashMap<>();

    /** The limit of the row before, which is most often that of this one too. */
    private @Nullable Limit last;

    /** @param now from when on the debts are counted */
    BucketRows(Instant now) {
        this.now = now;
    }

    /**
     * A row of {@link #SELECT}; null if it makes no debt.
     *
     * @throws SQLException if the database does not answer
     */
    @Nullable
    BucketDebt read(ResultSet row) throws SQLException {
        String principal = row.getString(2);
        String tool = row.getString(4);
        try {
            BucketName name = new BucketName(level(row.getString(1)), row.getString(3), tool);
            return new BucketDebt(
                    principal,
                    names.computeIfAbsent(name, same -> same),
                    limit(row.getDouble(5), row.getLong(6)),
                    nanos(SqlTime.read(row, 7)),
                    nanos(SqlTime.read(row, 8)));
        } catch (IllegalArgumentException e) {
            log.atWarn()
                    .addKeyValue("principal", principal)
                    .addKeyValue("tool", tool)
                    .addKeyValue("reason", e.getMessage())
                    .log("bucket_unreadable");
            return null;
        }
    }

    private Limit limit(double rate, long burst) {
        Limit limit = last;
        if (limit == null || limit.ratePerSecond() != rate || limit.capacity() != burst) {
            limit = Limit.of(rate, burst);
            last = limit;
        }
        return limit;
    }

    private static Level level(String word) {
        for (Level level : Level.values()) {
            if (level.word().equals(word)) {
                return level;
            }
        }
        throw new IllegalArgumentException("level is [" + word + "]");
    }

    private long nanos(@Nullable Instant end) {
        if (end == null || !end.isAfter(now)) {
            return 0;
        }
        Duration left = Duration.between(now, end);
        return (left.compareTo(LONGEST) < 0 ? left : LONGEST).toNanos();
    }
}
