package dev.weir.run.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;

/**
 * A small shop in a database in memory, and what its catalogue says of a table.
 *
 * <p>Each one is a database of its own, and lives until it is closed. Safe for use by many threads.
 */
final class SampleDatabase implements AutoCloseable {

    private static final String TABLES = """
            SELECT table_name FROM information_schema.tables
            WHERE table_schema = 'PUBLIC' AND table_type = 'BASE TABLE' ORDER BY table_name""";

    private final JdbcDataSource source;

    private SampleDatabase(JdbcDataSource source) {
        this.source = source;
    }

    static SampleDatabase create() throws SQLException {
        // The data source is named by its class: the driver manager does not see drivers of every class loader.
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:weir-demo-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        source.setUser("sa");
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : SampleShop.SQL) {
                statement.execute(sql);
            }
        }
        return new SampleDatabase(source);
    }

    /** The names of all tables, in order. */
    List<String> tables() throws SQLException {
        try (Connection connection = source.getConnection()) {
            return tables(connection);
        }
    }

    /**
     * The catalogue's entry of a table as text, a line for each column and key.
     *
     * @param table the table's name, in upper or lower case; compared as a whole, never as a pattern
     * @return the text, or null if there is no such table
     */
    @Nullable
    String describe(String table) throws SQLException {
        try (Connection connection = source.getConnection()) {
            for (String name : tables(connection)) {
                if (name.equalsIgnoreCase(table)) {
                    return new TableDescription(connection, name).text();
                }
            }
            return null;
        }
    }

    /** Drops the database. */
    @Override
    public void close() {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SHUTDOWN");
        } catch (SQLException e) {
            throw new IllegalStateException("the sample database could not be dropped", e);
        }
    }

    private static List<String> tables(Connection connection) throws SQLException {
        List<String> names = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(TABLES);
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                names.add(row.getString(1));
            }
        }
        return names;
    }
}
