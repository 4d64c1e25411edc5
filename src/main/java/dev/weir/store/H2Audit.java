package dev.weir.store;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.h2.api.Trigger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes down each change that an operator makes to a row, as the triggers of PostgreSQL do: into table {@code admin_event}, in
 * the transaction of the change. Made and called by H2, which lets one thread at a time in.
 *
 * <p>Bans that came of strikes are left out, and the deletion of bans that are over.
 */
public final class H2Audit implements Trigger {

    /** What says nothing to a person, or too much. */
    private static final Set<String> LEFT_OUT = Set.of("version", "evidence");

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private String table = "";
    private List<String> columns = List.of();
    private List<String> key = List.of();

    @Override
    public void init(Connection connection, String schema, String trigger, String tableName, boolean before, int type)
            throws SQLException {
        table = tableName.toLowerCase(Locale.ROOT);
        columns = names(connection.getMetaData().getColumns(null, schema, tableName, null), "ORDINAL_POSITION");
        key = names(connection.getMetaData().getPrimaryKeys(null, schema, tableName), "KEY_SEQ");
    }

    private static List<String> names(ResultSet rows, String order) throws SQLException {
        record Column(int place, String name) {}
        List<Column> columns = new ArrayList<>();
        while (rows.next()) {
            columns.add(new Column(rows.getInt(order), rows.getString("COLUMN_NAME")));
        }
        return columns.stream()
                .sorted((a, b) -> Integer.compare(a.place(), b.place()))
                .map(column -> column.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    @Override
    public void fire(Connection connection, @Nullable Object @Nullable [] oldRow, @Nullable Object @Nullable [] newRow)
            throws SQLException {
        ObjectNode was = oldRow == null ? null : json(oldRow);
        ObjectNode now = newRow == null ? null : json(newRow);
        if (Objects.equals(was, now) || !isByHand(connection, was, now)) {
            return;
        }
        ObjectNode named = Objects.requireNonNull(now == null ? was : now);
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO admin_event (changed_by, action, table_name, row_name, row_before, row_after)"
                        + " VALUES (COALESCE(@weir_operator, CURRENT_USER), ?, ?, ?, ?, ?)")) {
            insert.setString(1, was == null ? "insert" : now == null ? "delete" : "update");
            insert.setString(2, table);
            insert.setString(
                    3, key.stream().map(column -> named.path(column).asString()).collect(Collectors.joining(" ")));
            insert.setString(4, was == null ? null : was.toString());
            insert.setString(5, now == null ? null : now.toString());
            insert.executeUpdate();
        }
    }

    private boolean isByHand(Connection connection, @Nullable ObjectNode was, @Nullable ObjectNode now)
            throws SQLException {
        if (!table.equals("ban")) {
            return true;
        }
        if (was == null) {
            return now != null && now.path("strikes").asInt() == 0;
        }
        return now != null
                || (was.path("lifted_at").isNull()
                        && isToCome(connection, was.path("expires_at").asString()));
    }

    private static boolean isToCome(Connection connection, String time) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT CURRENT_TIMESTAMP")) {
            result.next();
            return OffsetDateTime.parse(time).isAfter(result.getObject(1, OffsetDateTime.class));
        }
    }

    private ObjectNode json(@Nullable Object[] row) {
        ObjectNode json = JSON.createObjectNode();
        for (int i = 0; i < row.length; i++) {
            String column = columns.get(i);
            if (LEFT_OUT.contains(column)) {
                continue;
            }
            if (row[i] instanceof Boolean flag) {
                json.put(column, flag);
            } else if (row[i] instanceof Number number) {
                json.put(column, new BigDecimal(number.toString()));
            } else {
                json.put(column, row[i] == null ? null : row[i].toString());
            }
        }
        return json;
    }
}
