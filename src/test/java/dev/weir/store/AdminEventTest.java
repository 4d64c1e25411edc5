package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Whatever an operator changes is written down with it, whichever tool it was changed with. */
@OnEveryDatabase
class AdminEventTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String BAN = "INSERT INTO ban (id, principal, strikes, started_at, expires_at) VALUES ";
    private static final String LONG_AGO = "TIMESTAMP '2020-01-01 00:00:00'";
    private static final String FAR = "TIMESTAMP '2999-01-01 00:00:00'";

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private DatabaseSettings settings;
    private Database database;

    AdminEventTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        settings = kind.fresh(directory);
        database = Database.open(settings);
        run(
                "INSERT INTO route (prefix, upstream_url) VALUES ('/mcp', 'http://127.0.0.1:1/mcp')",
                "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'echo', 'heavy')",
                "INSERT INTO route_target (route, url) VALUES ('/mcp', 'http://127.0.0.1:2/mcp')",
                "INSERT INTO route_header (route, name, content) VALUES ('/mcp', 'X-A', 'a')",
                "INSERT INTO client (id, name) VALUES ('a', 'A')",
                "INSERT INTO client_key (sha256, client) VALUES ('" + "0".repeat(64) + "', 'a')",
                "INSERT INTO client_tool (client, route, tool) VALUES ('a', '/mcp', 'echo')",
                "INSERT INTO client_route (client, route) VALUES ('a', '/mcp')",
                "INSERT INTO client_token (content, client) VALUES ('app', 'a')",
                "INSERT INTO setting (name, content) VALUES ('ban.threshold', '5')",
                BAN + "('strikes', 'client:a', 6, " + LONG_AGO + ", " + FAR + ")",
                BAN + "('hand', 'client:a', 0, " + LONG_AGO + ", " + FAR + ")",
                BAN + "('over', 'client:a', 6, " + LONG_AGO + ", TIMESTAMP '2020-01-02 00:00:00')");
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void run(String... statements) {
        database.jdbi().useTransaction(handle -> List.of(statements).forEach(handle::execute));
    }

    private List<Map<String, Object>> events() {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT action, table_name, row_name, changed_by,"
                                + " CAST(row_before AS VARCHAR) AS was, CAST(row_after AS VARCHAR) AS now"
                                + " FROM admin_event ORDER BY id")
                        .mapToMap()
                        .list());
    }

    /** The events that come of some statements, each as action, table and row. */
    private List<String> eventsOf(String... statements) {
        int before = events().size();
        run(statements);
        List<Map<String, Object>> all = events();
        return all.subList(before, all.size()).stream()
                .map(event -> event.get("action") + " " + event.get("table_name") + " " + event.get("row_name"))
                .toList();
    }

    @Test
    void whatComesWithTheTablesIsNobodysDoingAndAllElseIsWrittenDown() {
        assertThat(events())
                .extracting(event -> event.get("action") + " " + event.get("table_name") + " " + event.get("row_name"))
                .containsExactly(
                        "insert route /mcp",
                        "insert tool /mcp tool echo",
                        "insert route_target /mcp http://127.0.0.1:2/mcp",
                        "insert route_header /mcp X-A",
                        "insert client a",
                        "insert client_key " + "0".repeat(64),
                        "insert client_tool a /mcp tool echo",
                        "insert client_route a /mcp",
                        "insert client_token client_id app",
                        "insert setting ban.threshold",
                        "insert ban hand");
        assertThat(events()).allSatisfy(event -> {
            assertThat(event.get("was")).isNull();
            assertThat((String) event.get("changed_by")).isEqualToIgnoringCase(settings.user());
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            UPDATE tool_tier SET burst = 6 WHERE name = 'heavy'      | update tool_tier heavy
            UPDATE route SET enabled = FALSE                        | update route /mcp
            UPDATE tool SET cost = 2                                | update tool /mcp tool echo
            UPDATE route_target SET enabled = FALSE                 | update route_target /mcp http://127.0.0.1:2/mcp
            UPDATE route_header SET content = 'b'                   | update route_header /mcp X-A
            UPDATE client SET exempt = TRUE                         | update client a
            UPDATE client_key SET label = 'x'                       | update client_key 0000000000000000000000000000000000000000000000000000000000000000
            UPDATE client_tool SET allowed = FALSE                  | update client_tool a /mcp tool echo
            UPDATE client_route SET allowed = FALSE                 | update client_route a /mcp
            UPDATE client_token SET content = 'b'                   | update client_token client_id b
            UPDATE setting SET content = '6'                        | update setting ban.threshold
            DELETE FROM setting                                     | delete setting ban.threshold
            UPDATE ban SET lifted_at = CURRENT_TIMESTAMP WHERE id = 'strikes' | update ban strikes
            UPDATE ban SET expires_at = TIMESTAMP '2998-01-01 00:00:00' WHERE id = 'hand' | update ban hand
            DELETE FROM ban WHERE id = 'strikes'                    | delete ban strikes
            """)
    void eachChangeIsOneEvent(String statement, String event) {
        assertThat(eventsOf(statement)).containsExactly(event);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            UPDATE tool SET cost = 1
            UPDATE tool SET cost = 7 WHERE name = 'nobody'
            DELETE FROM ban WHERE id = 'over'
            UPDATE ban SET evidence = '[]'
            """)
    void whatChangesNothingForAnOperatorIsNoEvent(String statement) {
        assertThat(eventsOf(statement)).isEmpty();
    }

    @Test
    void theRowBeforeAndAfterIsKept() throws Exception {
        run("UPDATE tool SET cost = 3, enabled = FALSE");
        Map<String, Object> event = events().get(events().size() - 1);
        JsonNode was = JSON.readTree((String) event.get("was"));
        JsonNode now = JSON.readTree((String) event.get("now"));
        assertThat(was.path("cost").asInt()).isEqualTo(1);
        assertThat(was.path("enabled").asBoolean()).isTrue();
        assertThat(now.path("cost").asInt()).isEqualTo(3);
        assertThat(now.path("enabled").asBoolean()).isFalse();
        assertThat(now.path("name").asString()).isEqualTo("echo");
        run("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP, lifted_by = 'ann' WHERE id = 'hand'");
        JsonNode lifted =
                JSON.readTree((String) events().get(events().size() - 1).get("now"));
        assertThat(lifted.path("lifted_by").asString()).isEqualTo("ann");
        assertThat(lifted.has("evidence")).as("nobody changed that").isFalse();
    }

    @Test
    void whatGoesAlongWithADeletedRowIsWrittenDownToo() {
        assertThat(eventsOf("DELETE FROM tool"))
                .containsExactlyInAnyOrder("delete tool /mcp tool echo", "delete client_tool a /mcp tool echo");
    }

    @Test
    void whatIsRolledBackWasNoChange() {
        int before = events().size();
        try (Handle handle = database.jdbi().open()) {
            handle.begin();
            handle.execute("UPDATE tool SET cost = 3");
            handle.rollback();
        }
        assertThat(events()).hasSize(before);
    }

    @Test
    void whoChangesSomethingMaySayWhoItIs() throws Exception {
        try (Connection connection = SqlConnections.open(settings, "ann");
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE tool SET cost = 3");
        }
        assertThat(events().get(events().size() - 1)).containsEntry("changed_by", "ann");
        run("UPDATE tool SET cost = 4");
        assertThat((String) events().get(events().size() - 1).get("changed_by"))
                .as("nobody is taken for the one before")
                .isEqualToIgnoringCase(settings.user());
    }
}
