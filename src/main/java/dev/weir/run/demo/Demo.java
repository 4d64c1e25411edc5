package dev.weir.run.demo;

import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * All that {@code --demo} adds: the demo server behind a route, its tools registered, and two clients with keys. Puts their
 * rows into the database, again at each start, because the demo server has another port each time.
 */
public final class Demo implements Consumer<DataSource> {

    private static final Map<String, String> TOOL_TIERS = Map.of(
            "echo", "light",
            "get_time", "light",
            "inspect_table_schema", "heavy",
            "export_report", "standard");

    private final DemoServer server;
    private final DemoKeys keys;

    private Demo(DemoServer server, DemoKeys keys) {
        this.server = server;
        this.keys = keys;
    }

    /** Starts the demo server and finds or makes the clients' keys. */
    public static Demo start(Path dataDir) throws Exception {
        DemoKeys keys = DemoKeys.keep(dataDir);
        return new Demo(DemoServer.start(), keys);
    }

    @Override
    public void accept(DataSource database) {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            upsert(connection, "route", "prefix, upstream_url", "prefix", "/mcp", server.url().toString());
            for (Map.Entry<String, String> tool : TOOL_TIERS.entrySet()) {
                insert(connection, "tool", "route, name, tier", "/mcp", tool.getKey(), tool.getValue());
            }
            for (Map.Entry<String, String> key : keys.digests().entrySet()) {
                insert(connection, "client", "id, name", key.getKey(), key.getKey());
                insert(connection, "client_key", "sha256, client, label", key.getValue(), key.getKey(), "demo");
            }
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException("the demo's rows could not be written", e);
        }
    }

    /** Says what there is to try. */
    public void explain(String url, PrintStream out) {
        keys.keys().forEach((client, key) -> out.printf("  client %-16s key %s%n", client, key));
        String agent = keys.keys().get(DemoKeys.AGENT);
        out.println("Try:");
        out.println("  java -jar target/weir.war storm --url " + url + "/mcp --tool inspect_table_schema --rate 140"
                + " --seconds 5 --key " + agent);
        out.println("  java -jar target/weir.war sql \"SELECT principal, reason, expires_at FROM ban\"");
        out.println("  java -jar target/weir.war sql \"UPDATE tool_tier SET rate_per_second = 50, burst = 100 WHERE name ="
                + " 'heavy'\"");
    }

    private static void upsert(Connection connection, String table, String columns, String key, String... values)
            throws SQLException {
        insert(connection, table, columns, values);
        String column = columns.substring(columns.lastIndexOf(' ') + 1);
        String sql = "UPDATE " + table + " SET " + column + " = ? WHERE " + key + " = ?";
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setString(1, values[values.length - 1]);
            update.setString(2, values[0]);
            update.executeUpdate();
        }
    }

    /** Inserts a row unless there is one of its key: what an operator has changed since stays changed. */
    private static void insert(Connection connection, String table, String columns, String... values)
            throws SQLException {
        String marks = "?" + ", ?".repeat(values.length - 1);
        String sql = "INSERT INTO " + table + " (" + columns + ") VALUES (" + marks + ") ON CONFLICT DO NOTHING";
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                insert.setString(i + 1, values[i]);
            }
            insert.executeUpdate();
        }
    }
}
