package dev.weir.store;

import dev.weir.ban.Ban;
import dev.weir.ban.BanChanges;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Follows the bans that hold in table {@code ban}, without reading them all again and again: there may be very many.
 *
 * <p>Every writing of a row gives it a new {@code version}, higher than all before. So the number of the rows that hold and the
 * sum of their versions tell whether anything has changed, also where a transaction with lower versions commits later: no other
 * set of rows has both. Is used by one thread at a time.
 */
final class ActiveBans {

    private static final int FETCH = 2_000;
    private static final String HOLDS = " FROM ban WHERE lifted_at IS NULL AND expires_at > :now";
    private static final String COLUMNS = "SELECT id, version, principal, scope, reason, route, tool, strikes,"
            + " window_seconds, escalation, banned_by, started_at, expires_at";

    /**
     * A row.
     *
     * @param ban null if the row cannot be read
     */
    private record Row(String id, long version, @Nullable Ban ban) {}

    private record Sum(long rows, long versions) {}

    private final Database database;
    private final BanRows reader;
    private final Map<String, Row> known = new HashMap<>();
    private Sum sum = new Sum(0, 0);
    private long newest;

    ActiveBans(Database database, BanRows reader) {
        this.database = database;
        this.reader = reader;
    }

    /**
     * What has changed since the last call.
     *
     * @throws org.jdbi.v3.core.JdbiException if the database does not answer; what has changed is told the next time then
     */
    BanChanges changes(Instant time) {
        Instant now = time.truncatedTo(ChronoUnit.MICROS);
        List<Ban> gone = new ArrayList<>();
        List<Ban> holding = new ArrayList<>();
        database.stream(handle -> {
            if (known.isEmpty()) {
                rows(handle, now, Long.MIN_VALUE).forEach(row -> put(row, holding, gone));
                return;
            }
            Map<String, Row> ended = ended(now);
            Sum there = sum(handle, now);
            List<Row> news = there.equals(without(ended)) ? List.of() : rows(handle, now, newest);
            if (there.equals(with(news, ended))) {
                ended.values().forEach(row -> remove(row, gone));
                news.forEach(row -> put(row, holding, gone));
            } else {
                replaceAll(rows(handle, now, Long.MIN_VALUE), holding, gone);
            }
        });
        return new BanChanges(holding, gone);
    }

    private Map<String, Row> ended(Instant now) {
        Map<String, Row> ended = new HashMap<>();
        known.forEach((id, row) -> {
            if (row.ban() != null && !row.ban().expiresAt().isAfter(now)) {
                ended.put(id, row);
            }
        });
        return ended;
    }

    private Sum without(Map<String, Row> ended) {
        return new Sum(
                sum.rows() - ended.size(),
                sum.versions() - ended.values().stream().mapToLong(Row::version).sum());
    }

    /** What the sum would be without some rows and with others, which may be later versions of known ones. */
    private Sum with(List<Row> news, Map<String, Row> ended) {
        Sum left = without(ended);
        long rows = left.rows();
        long versions = left.versions();
        for (Row row : news) {
            Row before = ended.containsKey(row.id()) ? null : known.get(row.id());
            if (before == null) {
                rows++;
                versions += row.version();
            } else {
                versions += row.version() - before.version();
            }
        }
        return new Sum(rows, versions);
    }

    private void replaceAll(List<Row> rows, List<Ban> holding, List<Ban> gone) {
        Map<String, Row> there = new HashMap<>();
        rows.forEach(row -> there.put(row.id(), row));
        List.copyOf(known.values()).stream()
                .filter(row -> !there.containsKey(row.id()))
                .forEach(row -> remove(row, gone));
        for (Row row : rows) {
            Row before = known.get(row.id());
            if (before == null || before.version() != row.version()) {
                put(row, holding, gone);
            }
        }
    }

    private void remove(Row row, List<Ban> gone) {
        known.remove(row.id());
        sum = new Sum(sum.rows() - 1, sum.versions() - row.version());
        if (row.ban() != null) {
            gone.add(row.ban());
        }
    }

    private void put(Row row, List<Ban> holding, List<Ban> gone) {
        Row before = known.put(row.id(), row);
        sum = new Sum(
                sum.rows() + (before == null ? 1 : 0),
                sum.versions() + row.version() - (before == null ? 0 : before.version()));
        newest = Math.max(newest, row.version());
        Ban was = before == null ? null : before.ban();
        if (was != null
                && (row.ban() == null || !was.principal().equals(row.ban().principal()))) {
            gone.add(was);
        }
        if (row.ban() != null) {
            holding.add(row.ban());
        }
    }

    private static Sum sum(Handle handle, Instant now) {
        return handle.createQuery("SELECT COUNT(*) AS n, COALESCE(SUM(version), 0) AS versions" + HOLDS)
                .bind("now", SqlTime.of(now))
                .map((row, context) -> new Sum(row.getLong("n"), row.getLong("versions")))
                .one();
    }

    private List<Row> rows(Handle handle, Instant now, long above) {
        return handle.createQuery(COLUMNS + HOLDS + " AND version > :above")
                .bind("now", SqlTime.of(now))
                .bind("above", above)
                .setFetchSize(FETCH)
                .map((row, context) -> row(row))
                .list();
    }

    private Row row(ResultSet row) throws SQLException {
        String id = row.getString("id");
        return new Row(id, row.getLong("version"), reader.read(id, row));
    }
}
