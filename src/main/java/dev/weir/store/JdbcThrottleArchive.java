package dev.weir.store;

import dev.weir.ban.Place;
import dev.weir.ban.ThrottleArchive;
import dev.weir.ban.ThrottleEvent;
import dev.weir.ban.ThrottleRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Throttles out of table {@code throttle_event}. Every method throws {@link org.jdbi.v3.core.JdbiException} if the database does
 * not answer. Safe for use by many threads.
 */
public final class JdbcThrottleArchive implements ThrottleArchive {

    private static final String SELECT =
            "SELECT id, happened_at, principal, route, tool, level, decision, calls, node FROM throttle_event";

    private final Jdbi jdbi;

    public JdbcThrottleArchive(Database database) {
        this.jdbi = database.jdbi();
    }

    @Override
    public List<ThrottleRecord> page(Filter filter, @Nullable Place after, int most) {
        HistoryQuery query = query(filter).after("happened_at", after, true);
        return jdbi.withHandle(handle -> query.page(handle, SELECT, "happened_at", most)
                .map((row, context) -> read(row))
                .list());
    }

    @Override
    public List<Sum> sums(Filter filter, By by) {
        String columns = switch (by) {
            case PRINCIPAL -> "principal";
            case TOOL -> "route, tool";
            case ROUTE -> "route";
            case LEVEL -> "level";
        };
        HistoryQuery query = query(filter);
        return jdbi.withHandle(handle -> query.ask(
                        handle,
                        "SELECT " + columns + ", SUM(calls) AS sum_of_calls FROM throttle_event",
                        " GROUP BY " + columns + " ORDER BY sum_of_calls DESC, " + columns + " FETCH FIRST " + MOST_SUMS
                                + " ROWS ONLY")
                .map((row, context) -> sum(row, by))
                .list());
    }

    @Override
    public List<Sum> course(Filter filter, Duration step) {
        long seconds = step.toSeconds();
        HistoryQuery query = query(filter);
        // Counted from 1970, because what is truncated to a day depends on the time zone of the connection.
        List<Sum> latestFirst = jdbi.withHandle(handle -> query.ask(
                        handle,
                        "SELECT FLOOR(EXTRACT(EPOCH FROM happened_at) / " + seconds
                                + ") AS step, SUM(calls) AS sum_of_calls FROM throttle_event",
                        " GROUP BY step ORDER BY step DESC FETCH FIRST " + MOST_SUMS + " ROWS ONLY")
                .map((row, context) -> new Sum(
                        null,
                        null,
                        null,
                        null,
                        Instant.ofEpochSecond(row.getBigDecimal("step").longValueExact() * seconds),
                        row.getLong("sum_of_calls")))
                .list());
        List<Sum> inOrder = new ArrayList<>(latestFirst);
        Collections.reverse(inOrder);
        return inOrder;
    }

    private static HistoryQuery query(Filter filter) {
        ThrottleEvent.Decision decision = filter.decision();
        return new HistoryQuery()
                .isIndexed("principal", filter.principal())
                .isIndexed("tool", filter.tool())
                .isIndexed("route", filter.route())
                .isIndexed("level", filter.level())
                .is("decision", decision == null ? null : decision.word())
                .is("node", filter.node())
                .between("happened_at", filter.from(), filter.until());
    }

    private static ThrottleRecord read(ResultSet row) throws SQLException {
        ThrottleEvent.Decision decision =
                ThrottleEvent.Decision.THROTTLED.word().equals(row.getString("decision"))
                        ? ThrottleEvent.Decision.THROTTLED
                        : ThrottleEvent.Decision.WOULD_THROTTLE;
        return new ThrottleRecord(
                row.getLong("id"),
                SqlTime.require(row, "happened_at"),
                new ThrottleEvent.Kind(
                        row.getString("principal"),
                        row.getString("route"),
                        row.getString("tool"),
                        row.getString("level"),
                        decision),
                row.getLong("calls"),
                row.getString("node"));
    }

    private static Sum sum(ResultSet row, By by) throws SQLException {
        boolean placed = by == By.TOOL || by == By.ROUTE;
        return new Sum(
                by == By.PRINCIPAL ? row.getString("principal") : null,
                placed ? row.getString("route") : null,
                by == By.TOOL ? row.getString("tool") : null,
                by == By.LEVEL ? row.getString("level") : null,
                null,
                row.getLong("sum_of_calls"));
    }
}
