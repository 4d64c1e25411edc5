package dev.weir.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** The tables refuse nonsense, and the refusal says what is wrong. */
@OnEveryDatabase
class ConstraintsTest {

    @TempDir
    static Path directory;

    private static @Nullable Database database;

    private final DatabaseUnderTest kind;

    ConstraintsTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeParameterizedClassInvocation
    static void open(DatabaseUnderTest kind) throws Exception {
        database = Database.open(kind.fresh(directory));
        run("INSERT INTO route (prefix, upstream_url) VALUES ('/mcp', 'http://127.0.0.1:1/mcp')");
        run("INSERT INTO client (id, name) VALUES ('a', 'A')");
        run("INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'known', 'heavy')");
        run("INSERT INTO ban (id, principal, expires_at) VALUES ('b', 'client:a', TIMESTAMP '2999-01-01 00:00:00')");
    }

    @AfterParameterizedClassInvocation
    static void close() {
        requireNonNull(database).close();
    }

    @ParameterizedTest(name = "{0}")
    @CsvFileSource(resources = "constraints.csv", delimiter = '|', quoteCharacter = '`')
    void aStatementThatBreaksARuleIsRefusedByItsName(String constraint, String statement) {
        assertThatThrownBy(() -> run(statement)).as("%s", kind).hasStackTraceContaining(constraint);
    }

    @Test
    void everyCheckOfTheTablesIsBrokenByATest() throws Exception {
        String tried = Files.readString(Path.of("src/test/resources/dev/weir/store/constraints.csv"));
        assertThat(requireNonNull(database)
                        .jdbi()
                        .<List<String>, RuntimeException>withHandle(
                                h -> h.createQuery("SELECT constraint_name FROM information_schema.table_constraints"
                                                + " WHERE constraint_type IN ('CHECK', 'FOREIGN KEY') AND table_schema = 'public'"
                                                // PostgreSQL counts what is not null among them, under names of its
                                                // own.
                                                + " AND constraint_name NOT LIKE '%_not_null'")
                                        .mapTo(String.class)
                                        .list()))
                .hasSizeGreaterThan(30)
                .allMatch(name -> tried.contains(name + "|"));
    }

    @Test
    void aTierRouteToolOrClientMayBeRenamedAndTakesItsRowsAlong() {
        run("INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('slow', 1, 1)");
        run("INSERT INTO route (prefix, upstream_url) VALUES ('/old', 'https://127.0.0.1:1')");
        run("INSERT INTO tool (route, name, tier) VALUES ('/old', 't', 'slow')");
        run("UPDATE route SET prefix = '/new' WHERE prefix = '/old'");
        run("UPDATE tool_tier SET name = 'slower' WHERE name = 'slow'");
        assertThat(count("SELECT COUNT(*) FROM tool WHERE route = '/new' AND tier = 'slower'"))
                .isOne();
        run("DELETE FROM route WHERE prefix = '/new'");
        assertThat(count("SELECT COUNT(*) FROM tool WHERE route = '/new'")).isZero();
    }

    @Test
    void aRateOfZeroAndAnyBurstIsAllowedBecauseItBlocks() {
        run("INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('never', 0, 0)");
        run("INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('never5', 0, 5)");
        assertThat(count("SELECT COUNT(*) FROM tool_tier WHERE name LIKE 'never%'"))
                .isEqualTo(2);
    }

    private static int count(String sql) {
        return requireNonNull(database)
                .jdbi()
                .withHandle(h -> h.createQuery(sql).mapTo(Integer.class).one());
    }

    private static void run(String sql) {
        requireNonNull(database).jdbi().useHandle(handle -> handle.execute(sql));
    }
}
