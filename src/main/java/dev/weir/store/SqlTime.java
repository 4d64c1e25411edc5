package dev.weir.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Instants in columns of type {@code TIMESTAMP WITH TIME ZONE}, to the microsecond, whatever the time zone of the process. */
final class SqlTime {

    private SqlTime() {}

    static OffsetDateTime of(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
    }

    static @Nullable Instant read(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** The same by the number of the column, for rows that are very many. */
    static @Nullable Instant read(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** @throws SQLException if the column is null */
    static Instant require(ResultSet row, String column) throws SQLException {
        Instant instant = read(row, column);
        if (instant == null) {
            throw new SQLException(column + " is null");
        }
        return instant;
    }
}
