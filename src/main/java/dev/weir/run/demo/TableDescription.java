package dev.weir.run.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;

/** One table as the catalogue has it, written out for a model to read. */
final class TableDescription {

    private static final String COLUMNS = """
            SELECT column_name, is_nullable, data_type || CASE
                WHEN character_maximum_length IS NOT NULL THEN '(' || character_maximum_length || ')'
                WHEN data_type = 'NUMERIC' THEN '(' || numeric_precision || ',' || numeric_scale || ')'
                ELSE '' END
            FROM information_schema.columns
            WHERE table_schema = 'PUBLIC' AND table_name = ? ORDER BY ordinal_position""";

    private final Connection connection;
    private final String table;

    /** @param table the name exactly as the catalogue spells it */
    TableDescription(Connection connection, String table) {
        this.connection = connection;
        this.table = table;
    }

    String text() throws SQLException {
        StringBuilder text = new StringBuilder("table ").append(table).append('\n');
        appendColumns(text);
        appendPrimaryKey(text);
        appendForeignKeys(text);
        return text.toString();
    }

    private void appendColumns(StringBuilder text) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(COLUMNS)) {
            query.setString(1, table);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    boolean nullable = row.getString(2).equals("YES");
                    text.append("  ").append(row.getString(1)).append(' ').append(row.getString(3));
                    text.append(nullable ? " NULL\n" : " NOT NULL\n");
                }
            }
        }
    }

    private void appendPrimaryKey(StringBuilder text) throws SQLException {
        // Sorted here, because the driver gives the columns by name and not by their place in the key.
        Map<Integer, String> columns = new TreeMap<>();
        try (ResultSet row = connection.getMetaData().getPrimaryKeys(null, "PUBLIC", table)) {
            while (row.next()) {
                columns.put(row.getInt("KEY_SEQ"), row.getString("COLUMN_NAME"));
            }
        }
        if (!columns.isEmpty()) {
            text.append("primary key (")
                    .append(String.join(", ", columns.values()))
                    .append(")\n");
        }
    }

    private void appendForeignKeys(StringBuilder text) throws SQLException {
        try (ResultSet row = connection.getMetaData().getImportedKeys(null, "PUBLIC", table)) {
            while (row.next()) {
                text.append("foreign key ").append(row.getString("FKCOLUMN_NAME"));
                text.append(" references ").append(row.getString("PKTABLE_NAME"));
                text.append('(').append(row.getString("PKCOLUMN_NAME")).append(")\n");
            }
        }
    }
}
