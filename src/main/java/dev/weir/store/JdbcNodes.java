package dev.weir.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/**
 * The processes that work on this database, in table {@code node}. All times are those of the database, so that clocks which differ
 * matter to nobody. Safe for use by many threads.
 */
public final class JdbcNodes {

    private static final int MOST = 500;

    /**
     * One process.
     *
     * @param id      tells it apart from all others
     * @param name    its host
     * @param seenAt  when it last wrote
     * @param age     how long ago that was
     * @param watched how long ago somebody last watched all nodes from it; null if nobody ever has
     * @param sample  what it is at, as JSON; null if it has not said so
     */
    public record Row(
            String id,
            String name,
            Instant seenAt,
            Duration age,
            @Nullable Duration watched,
            @Nullable String sample) {}

    private final Jdbi jdbi;

    public JdbcNodes(Database database) {
        this.jdbi = database.jdbi();
    }

    /**
     * Says that a process is there.
     *
     * @param watched whether somebody watches all nodes from it
     * @param sample  what it is at, as JSON
     */
    public void write(String id, String name, Instant startedAt, boolean watched, String sample) {
        String watch = watched ? ", watched_at = CURRENT_TIMESTAMP" : "";
        jdbi.useHandle(handle -> {
            int updated = handle.createUpdate(
                            "UPDATE node SET seen_at = CURRENT_TIMESTAMP, sample = :sample" + watch + " WHERE id = :id")
                    .bind("id", id)
                    .bind("sample", sample)
                    .execute();
            if (updated == 0) {
                Update insert =
                        handle.createUpdate("INSERT INTO node (id, name, started_at, seen_at, watched_at, sample)"
                                + " VALUES (:id, :name, :started, CURRENT_TIMESTAMP, "
                                + (watched ? "CURRENT_TIMESTAMP" : "NULL") + ", :sample)");
                insert.bind("id", id)
                        .bind("name", name)
                        .bind("started", SqlTime.of(startedAt))
                        .bind("sample", sample)
                        .execute();
            }
        });
    }

    /** All of them, in the order of their names. */
    public List<Row> all() {
        return jdbi.withHandle(handle -> handle.createQuery(
                        "SELECT id, name, seen_at, watched_at, sample, CURRENT_TIMESTAMP AS this_moment FROM node"
                                + " ORDER BY name, id FETCH FIRST " + MOST + " ROWS ONLY")
                .map((row, context) -> row(row))
                .list());
    }

    /** Forgets a process that stops. */
    public void delete(String id) {
        jdbi.useHandle(handle -> handle.createUpdate("DELETE FROM node WHERE id = :id")
                .bind("id", id)
                .execute());
    }

    /** Forgets those that have not been there for a day. */
    public void deleteOld() {
        jdbi.useHandle(
                handle -> handle.execute("DELETE FROM node WHERE seen_at < CURRENT_TIMESTAMP - INTERVAL '1' DAY"));
    }

    private static Row row(ResultSet row) throws SQLException {
        Instant now = instant(row, "this_moment");
        Instant seen = instant(row, "seen_at");
        OffsetDateTime watched = row.getObject("watched_at", OffsetDateTime.class);
        return new Row(
                row.getString("id"),
                row.getString("name"),
                seen,
                Duration.between(seen, now),
                watched == null ? null : Duration.between(watched.toInstant(), now),
                row.getString("sample"));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
