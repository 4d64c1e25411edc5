package dev.weir.store;

import dev.weir.ban.Place;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * A question about a table of history, put together condition by condition. Pages are found by where the one before ended, and
 * not by counting rows, so that none is missed or seen twice while others are written. Not safe for use by many threads.
 */
final class HistoryQuery {

    private final List<String> conditions = new ArrayList<>();
    private final Map<String, Object> values = new LinkedHashMap<>();

    /** The columns that are the same in all rows asked for, and that an index begins with; the first is taken. */
    private final List<String> fixed = new ArrayList<>();

    /** A column has to be this, if it is not null. */
    HistoryQuery is(String column, @Nullable String value) {
        if (value != null) {
            conditions.add(column + " = :" + column);
            // As it would have been written.
            values.put(column, SqlText.storable(value));
        }
        return this;
    }

    /** The same of a column that an index begins with. */
    HistoryQuery isIndexed(String column, @Nullable String value) {
        if (value != null) {
            fixed.add(column);
        }
        return is(column, value);
    }

    /** A column of time has to be in a range; the end is no part of it. */
    HistoryQuery between(String column, @Nullable Instant from, @Nullable Instant until) {
        if (from != null) {
            conditions.add(column + " >= :from");
            values.put("from", SqlTime.of(from));
        }
        if (until != null) {
            conditions.add(column + " < :until");
            values.put("until", SqlTime.of(until));
        }
        return this;
    }

    /** Something has to be true that has one value in it. */
    HistoryQuery where(String condition, String name, Object value) {
        values.put(name, value);
        return where(condition);
    }

    /** Something has to be true. */
    HistoryQuery where(String condition) {
        conditions.add(condition);
        return this;
    }

    /** Only what comes after a place, in the order of the latest first. */
    HistoryQuery after(String time, @Nullable Place place, boolean numbered) {
        if (place != null) {
            // The first condition says no more than the second, and is what H2 finds an index for.
            conditions.add(time + " <= :place_at AND (" + time + ", id) < (:place_at, :place_id)");
            values.put("place_at", SqlTime.of(place.at()));
            values.put("place_id", numbered ? Long.valueOf(place.id()) : SqlText.storable(place.id()));
        }
        return this;
    }

    /** A page, the latest first. */
    Query page(Handle handle, String select, String time, int most) {
        // What is fixed is in no order, but by it H2 sees that an index has all in this order already.
        String order = fixed.isEmpty() ? "" : fixed.get(0) + ", ";
        return ask(handle, select, " ORDER BY " + order + time + " DESC, id DESC FETCH FIRST " + most + " ROWS ONLY");
    }

    /** Any query, with the conditions between its two parts. */
    Query ask(Handle handle, String select, String rest) {
        String where = conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
        Query query = handle.createQuery(select + where + rest);
        values.forEach(query::bind);
        return query;
    }
}
