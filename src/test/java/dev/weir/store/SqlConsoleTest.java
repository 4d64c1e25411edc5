package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SqlConsoleTest {

    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        connection =
                new org.h2.Driver().connect("jdbc:h2:mem:;DATABASE_TO_LOWER=TRUE;MODE=PostgreSQL", new Properties());
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @Test
    void aResultIsATableUnderTheNamesOfItsColumns() throws SQLException {
        assertThat(run("SELECT * FROM (VALUES ('heavy', 2, TRUE), (NULL, 30, FALSE)) AS t (tier, rate_per_second, b)"))
                .isEqualTo("""
                        tier  | rate_per_second | b
                        ------+-----------------+------
                        heavy | 2               | TRUE
                        null  | 30              | FALSE
                        """);
    }

    @Test
    void aResultWithoutRowsIsItsHeader() throws SQLException {
        assertThat(run("SELECT 1 AS one WHERE FALSE")).isEqualTo("one\n---\n");
    }

    @Test
    void changesAreCounted() throws SQLException {
        assertThat(run("CREATE TABLE t (a INT)")).isEqualTo("0 rows changed\n");
        assertThat(run("INSERT INTO t VALUES (1)")).isEqualTo("1 row changed\n");
        assertThat(run("INSERT INTO t VALUES (1), (2)")).isEqualTo("2 rows changed\n");
        assertThat(run("UPDATE t SET a = 1 WHERE a = 7")).isEqualTo("0 rows changed\n");
    }

    @Test
    void everyOneOfSeveralStatementsTellsItsResult() throws SQLException {
        run("CREATE TABLE t (a VARCHAR)");
        assertThat(run("INSERT INTO t VALUES ('x;y'); -- a; comment\nSELECT a FROM t; ; DELETE FROM t;"))
                .isEqualTo("1 row changed\na\n---\nx;y\n1 row changed\n");
    }

    @Test
    void ofSeveralStatementsAllCountOrNone() throws SQLException {
        run("CREATE TABLE t (a INT)");
        SQLException failure = catchThrowableOfType(
                SQLException.class, () -> run("INSERT INTO t VALUES (1); INSERT INTO u VALUES (1)"));
        assertThat(SqlConsole.reason(failure)).isEqualTo("Table \"u\" not found, in: INSERT INTO u VALUES (1)");
        assertThat(run("SELECT COUNT(*) AS n FROM t")).isEqualTo("n\n-\n0\n");
    }

    @Test
    void aFailureIsOneLineAndShowsWhere() {
        SQLException failure = catchThrowableOfType(SQLException.class, () -> run("SELEC\n 1"));
        assertThat(SqlConsole.reason(failure))
                .startsWith("Syntax error in SQL statement \"[*]SELEC")
                .doesNotContain("\n");
    }

    @Test
    void longCellsAreCutAndCannotSteerTheTerminal() throws SQLException {
        String table = run("SELECT REPEAT('x', 100) AS a, CHR(27) || '[2J' || CHR(10) || 'b' AS b");
        assertThat(table.lines().skip(2)).containsExactly("x".repeat(59) + "… | ?[2J?b");
    }

    @Test
    void aLongResultIsCut() throws SQLException {
        assertThat(run("SELECT * FROM SYSTEM_RANGE(1, 1000)"))
                .endsWith("\n1000\n")
                .doesNotContain("more");
        assertThat(run("SELECT * FROM SYSTEM_RANGE(1, 100000)")).endsWith("\n1000\n… more\n");
    }

    private String run(String sql) throws SQLException {
        StringWriter out = new StringWriter();
        new SqlConsole(new PrintWriter(out)).run(connection, sql);
        return out.toString().replace(System.lineSeparator(), "\n");
    }
}
