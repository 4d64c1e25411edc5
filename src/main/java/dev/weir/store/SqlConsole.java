package dev.weir.store;

import java.io.PrintWriter;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.h2.jdbc.JdbcConnection;
import org.h2.util.ScriptReader;

/** Runs SQL that a person typed, and prints what came of it. Not safe for use by many threads. */
public final class SqlConsole {

    static final int MOST_ROWS = 1_000;
    static final int WIDEST_CELL = 60;

    private final PrintWriter out;

    public SqlConsole(PrintWriter out) {
        this.out = out;
    }

    /**
     * Runs one or more statements, separated by semicolons, as one transaction: all of them count, or none. What is printed
     * before a failure did not happen.
     *
     * @throws SQLException from the first statement that fails
     */
    public void run(Connection connection, String sql) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.setMaxRows(MOST_ROWS + 1);
            if (connection instanceof JdbcConnection) {
                // Split here, because H2 runs several statements in one but shows the result of the first only.
                ScriptReader statements = new ScriptReader(new StringReader(sql));
                for (String one = statements.readStatement(); one != null; one = statements.readStatement()) {
                    if (!one.isBlank()) {
                        run(statement, one);
                    }
                }
            } else {
                run(statement, sql);
            }
            if (!connection.isClosed()) {
                connection.commit();
            }
        } catch (SQLException e) {
            if (!connection.isClosed()) {
                connection.rollback();
            }
            throw e;
        } finally {
            out.flush();
        }
    }

    /** What a failure says, as one line: the reason, and the statement if the database tells which. */
    public static String reason(SQLException failure) {
        String reason = DatabaseKind.reason(failure);
        String[] parts = String.valueOf(failure.getMessage()).split("; SQL statement:", 2);
        if (parts.length < 2 || reason.startsWith("Syntax error")) {
            return reason;
        }
        String statement = parts[1].replaceAll(" \\[[0-9]+-[0-9]+]$", "").replaceAll("\\s+", " ");
        return reason + ", in: " + cell(statement.strip());
    }

    private void run(Statement statement, String sql) throws SQLException {
        boolean rows = statement.execute(sql);
        while (rows || statement.getUpdateCount() >= 0) {
            if (rows) {
                print(statement.getResultSet());
            } else {
                long count = statement.getUpdateCount();
                out.println(count == 1 ? "1 row changed" : count + " rows changed");
            }
            rows = statement.getMoreResults();
        }
    }

    /** Prints rows as a table. */
    void print(ResultSet result) throws SQLException {
        ResultSetMetaData columns = result.getMetaData();
        List<String[]> table = new ArrayList<>();
        String[] names = new String[columns.getColumnCount()];
        for (int i = 0; i < names.length; i++) {
            names[i] = cell(columns.getColumnLabel(i + 1));
        }
        table.add(names);
        boolean more = false;
        while (!more && result.next()) {
            more = table.size() > MOST_ROWS;
            if (!more) {
                String[] cells = new String[names.length];
                for (int i = 0; i < cells.length; i++) {
                    cells[i] = cell(result.getString(i + 1));
                }
                table.add(cells);
            }
        }
        print(table);
        if (more) {
            out.println("… more");
        }
    }

    private void print(List<String[]> table) {
        int[] widths = new int[table.get(0).length];
        for (String[] row : table) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        for (int r = 0; r < table.size(); r++) {
            StringBuilder line = new StringBuilder();
            StringBuilder rule = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = table.get(r)[i];
                line.append(i == 0 ? "" : " | ").append(cell).append(" ".repeat(widths[i] - cell.length()));
                rule.append(i == 0 ? "" : "-+-").append("-".repeat(widths[i]));
            }
            out.println(line.toString().stripTrailing());
            if (r == 0) {
                out.println(rule);
            }
        }
    }

    /** One cell: one line, and nothing that could steer a terminal, because names of tools come from outside. */
    private static String cell(String text) {
        String line = String.valueOf(text).replaceAll("[\\p{Cntrl}\\p{Cf}]", "?");
        return line.length() <= WIDEST_CELL ? line : line.substring(0, WIDEST_CELL - 1) + "…";
    }
}
