package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.h2.util.ScriptReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that start together, or are killed half-way, leave the tables that one undisturbed node would have made. */
@Timeout(120)
class MigrationTest {

    private static final int ROUNDS = Integer.getInteger("weir.migration.rounds", 3);
    private static final Path COMMON = Path.of("db/migration/common");

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource
    void threeNodesThatStartAtOnceOnAnEmptyDatabaseAllComeUp(DatabaseUnderTest kind) throws Exception {
        List<String> expected = cleanlyMigrated(kind);
        ExecutorService nodes = Executors.newFixedThreadPool(3);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                DatabaseSettings settings = withPassword(kind.fresh(directory.resolve("round-" + round)));
                CyclicBarrier together = new CyclicBarrier(3);
                Callable<Database> node = () -> {
                    together.await();
                    return Database.open(settings);
                };
                for (Future<Database> started : nodes.invokeAll(List.of(node, node, node), 60, TimeUnit.SECONDS)) {
                    try (Database database = started.get()) {
                        assertThat(schema(database)).as("round %d", round).isEqualTo(expected);
                    }
                }
            }
        } finally {
            nodes.shutdownNow();
        }
    }

    /** The table at which the node is held, inside the first, the second and the third migration. */
    @ParameterizedTest
    @ValueSource(strings = {"route", "throttle_event", "bucket"})
    void aNodeThatIsCutOffInsideAMigrationOnPostgresqlLeavesNoHalfOfIt(String table) throws Exception {
        PostgresServer server = PostgresServer.running();
        DatabaseSettings settings = server.fresh(directory);
        ExecutorService node = Executors.newSingleThreadExecutor();
        try (Connection other = SqlConnections.open(settings, "test");
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("CREATE TABLE " + table + " (a INT)");
            Future<Database> starting = node.submit(() -> Database.open(settings));
            String waits = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = '"
                    + settings.user() + "'";
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> server.number("SELECT COUNT(*) FROM (" + waits + ") w") > 0);
            server.administer("SELECT pg_terminate_backend(pid) FROM (" + waits + ") w");
            assertThatThrownBy(starting::get).hasCauseInstanceOf(DatabaseUnavailableException.class);
            other.rollback();
        } finally {
            node.shutdownNow();
        }
        try (Database database = Database.open(settings)) {
            assertThat(schema(database)).isEqualTo(cleanlyMigrated(DatabaseUnderTest.POSTGRESQL));
        }
    }

    @Test
    void whateverWasDoneOnH2WhenANodeWasKilledTheNextOneDoesTheRest() throws Exception {
        List<String> expected = cleanlyMigrated(DatabaseUnderTest.H2);
        List<String> statements = statements();
        assertThat(statements).hasSizeGreaterThan(10);
        for (int done = 0; done <= statements.size(); done++) {
            String url = "jdbc:h2:mem:done" + done;
            DatabaseSettings settings = new DatabaseSettings(url, "weir", "secret", directory, 2);
            try (Connection killed = DatabaseKind.H2.connect(DatabaseKind.H2.full(url), "weir", "secret", Map.of());
                    Statement statement = killed.createStatement()) {
                // The list of migrations is made before the first of them.
                Database.open(settings).close();
                statement.execute("DELETE FROM \"flyway_schema_history\"");
                statement.execute(
                        "DROP TABLE client_tool, client_key, client_route, client_token, tool, route_target, route_header, client, route, tool_tier, setting, ban,"
                                + " throttle_event, bucket, admin_event, gateway_secret, node");
                statement.execute("DROP SEQUENCE ban_version");
                for (String one : statements.subList(0, done)) {
                    statement.execute(one);
                }
                try (Database database = Database.open(settings)) {
                    assertThat(schema(database)).as("after %d statements", done).isEqualTo(expected);
                }
            }
        }
    }

    @Test
    void aProcessThatIsKilledWhileItStartsOnH2DoesNotKeepTheNextFromStarting() throws Exception {
        List<String> expected = cleanlyMigrated(DatabaseUnderTest.H2);
        for (int round = 0; round < ROUNDS; round++) {
            Path data = Files.createDirectory(directory.resolve("killed-" + round));
            try (Child child = Child.start(DatabaseHolder.class, data.toString())) {
                await().pollInterval(Duration.ofMillis(1)).until(() -> Files.exists(data.resolve("weir.mv.db")));
                // Migrating takes a few tenths of a second from here, and nothing tells from outside how far it has
                // come.
                Thread.sleep(60L * round);
                child.kill();
            }
            try (Database database = Database.open(DatabaseHolder.settings(data))) {
                assertThat(schema(database)).as("round %d", round).isEqualTo(expected);
            }
        }
    }

    @Test
    void everyTableOfThePolicyAndThatOfTheBansTellsOfItsChanges() throws Exception {
        try (Database database = Database.open(DatabaseUnderTest.POSTGRESQL.fresh(directory))) {
            assertThat(strings(
                            database,
                            "SELECT table_name FROM information_schema.tables t WHERE table_schema = 'public' AND NOT EXISTS"
                                    + " (SELECT 1 FROM pg_trigger WHERE tgrelid = CAST(t.table_name AS regclass)"
                                    + " AND tgname = t.table_name || '_changed')"))
                    .containsExactlyInAnyOrder(
                            "flyway_schema_history",
                            "throttle_event",
                            "bucket",
                            "admin_event",
                            "gateway_secret",
                            "node");
        }
    }

    @Test
    void noIndexIsMadeConcurrentlyBecauseNodesWouldWaitForEachOther() throws Exception {
        try (Stream<Path> files = Files.walk(Path.of("db/migration"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".sql")))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(Files.readString(file).toUpperCase(Locale.ROOT))
                            .doesNotContain("CONCURRENTLY"));
        }
    }

    private List<String> cleanlyMigrated(DatabaseUnderTest kind) throws Exception {
        try (Database database = Database.open(kind.fresh(directory.resolve("clean")))) {
            return schema(database);
        }
    }

    private static DatabaseSettings withPassword(DatabaseSettings settings) {
        String password = settings.password() == null ? "secret" : settings.password();
        return new DatabaseSettings(settings.url(), settings.user(), password, settings.dataDir(), 2);
    }

    private static List<String> statements() throws IOException {
        List<String> statements = new ArrayList<>();
        try (Stream<Path> files = Files.list(COMMON)) {
            for (Path file : files.sorted().toList()) {
                ScriptReader reader = new ScriptReader(new StringReader(Files.readString(file)));
                for (String one = reader.readStatement(); one != null; one = reader.readStatement()) {
                    if (!one.isBlank()) {
                        statements.add(one);
                    }
                }
            }
        }
        return statements;
    }

    /** Columns, constraints, the tiers that come with the tables, and the migrations that are noted as done. */
    private static List<String> schema(Database database) {
        List<String> all = new ArrayList<>(strings(
                database,
                "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable"
                        + " FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1"));
        all.addAll(strings(
                database,
                "SELECT constraint_name FROM information_schema.table_constraints WHERE table_schema = 'public'"
                        + " AND table_name <> 'flyway_schema_history'"
                        // These have numbers in their names.
                        + " AND constraint_name NOT LIKE '%_not_null' ORDER BY 1"));
        all.addAll(strings(database, "SELECT name FROM tool_tier ORDER BY 1"));
        all.addAll(
                strings(
                        database,
                        "SELECT \"script\" || \"success\" FROM \"flyway_schema_history\" WHERE \"type\" = 'SQL' ORDER BY \"installed_rank\""));
        return all;
    }

    private static List<String> strings(Database database, String sql) {
        return database.jdbi()
                .withHandle(
                        handle -> handle.createQuery(sql).mapTo(String.class).list());
    }
}
