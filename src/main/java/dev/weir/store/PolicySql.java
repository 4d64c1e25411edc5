package dev.weir.store;

import dev.weir.policy.edit.TableRow;
import dev.weir.policy.table.Column;
import dev.weir.policy.table.Table;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** The statements for one table of the policy, made of its description. Names in them are only those of the description. */
final class PolicySql {

    private PolicySql() {}

    static List<TableRow> list(
            Handle handle, Table table, Map<String, Object> columns, @Nullable List<Object> after, int limit) {
        List<String> conditions = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        columns.forEach((column, value) -> {
            conditions.add(column + " = ?");
            values.add(value);
        });
        String key = names(table.key());
        if (after != null) {
            conditions.add("(" + key + ") > (" + marks(after.size()) + ")");
            values.addAll(after);
        }
        String sql = "SELECT * FROM " + table.name()
                + (conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions))
                + " ORDER BY " + key + " LIMIT " + limit;
        return bind(handle.createQuery(sql), values)
                .map((row, context) -> read(table, row))
                .list();
    }

    /** @param forUpdate whether nobody else may change it until the transaction has ended */
    static @Nullable TableRow find(Handle handle, Table table, List<Object> key, boolean forUpdate) {
        String sql = "SELECT * FROM " + table.name() + " WHERE " + isKey(table) + (forUpdate ? " FOR UPDATE" : "");
        return bind(handle.createQuery(sql), key)
                .map((row, context) -> read(table, row))
                .findOne()
                .orElse(null);
    }

    static void insert(Handle handle, Table table, Map<String, @Nullable Object> values) {
        String sql = "INSERT INTO " + table.name() + " (" + String.join(", ", values.keySet()) + ") VALUES ("
                + marks(values.size()) + ")";
        bind(handle.createUpdate(sql), values.values()).execute();
    }

    static void update(Handle handle, Table table, List<Object> key, Map<String, @Nullable Object> values) {
        if (values.isEmpty()) {
            return;
        }
        List<@Nullable Object> all = new ArrayList<>(values.values());
        all.addAll(key);
        String sql = "UPDATE " + table.name() + " SET "
                + values.keySet().stream().map(column -> column + " = ?").collect(Collectors.joining(", "))
                + " WHERE " + isKey(table);
        bind(handle.createUpdate(sql), all).execute();
    }

    static void delete(Handle handle, Table table, List<Object> key) {
        bind(handle.createUpdate("DELETE FROM " + table.name() + " WHERE " + isKey(table)), key)
                .execute();
    }

    /** The values of a row after a change. */
    static Map<String, @Nullable Object> merged(TableRow row, Map<String, @Nullable Object> changed) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>(row.values());
        values.putAll(changed);
        return values;
    }

    private static TableRow read(Table table, ResultSet row) throws SQLException {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (Column column : table.columns()) {
            values.put(column.name(), value(column, row));
        }
        return new TableRow(table, values);
    }

    private static @Nullable Object value(Column column, ResultSet row) throws SQLException {
        String name = column.name();
        return switch (column.values().type()) {
            case TEXT -> row.getString(name);
            case NUMBER -> number(row.getBigDecimal(name));
            case TIME -> SqlTime.read(row, name);
            case WHOLE -> {
                long whole = row.getLong(name);
                yield row.wasNull() ? null : whole;
            }
            case FLAG -> {
                boolean flag = row.getBoolean(name);
                yield row.wasNull() ? null : flag;
            }
        };
    }

    /** Without the zeros that a column adds. */
    private static @Nullable BigDecimal number(@Nullable BigDecimal number) {
        if (number == null) {
            return null;
        }
        BigDecimal stripped = number.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }

    private static <S extends SqlStatement<S>> S bind(S statement, Iterable<? extends @Nullable Object> values) {
        int place = 0;
        for (Object value : values) {
            statement.bind(place++, value instanceof Instant time ? SqlTime.of(time) : value);
        }
        return statement;
    }

    private static String isKey(Table table) {
        return table.key().stream().map(column -> column.name() + " = ?").collect(Collectors.joining(" AND "));
    }

    private static String names(List<Column> columns) {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    private static String marks(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }
}
