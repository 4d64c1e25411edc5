package dev.weir.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** The queries of docs/history.md, as they stand there, answer what they are headed by. */
@OnEveryDatabase
class AuditorQueriesTest {

    private static final Pattern QUERY = Pattern.compile("### ([^\n]+)\n\n```sql\n(.+?)\n```", Pattern.DOTALL);

    @TempDir
    static Path directory;

    private static @Nullable Database database;
    private static final Map<String, String> QUERIES = new LinkedHashMap<>();

    AuditorQueriesTest(DatabaseUnderTest kind) {
        assertThat(kind).isNotNull();
    }

    @BeforeParameterizedClassInvocation
    static void open(DatabaseUnderTest kind) throws Exception {
        Matcher queries = QUERY.matcher(Files.readString(Path.of("docs/history.md")));
        while (queries.find()) {
            QUERIES.put(queries.group(1), queries.group(2));
        }
        database = Database.open(kind.fresh(directory));
        ban("b1", "client:reporting-agent", "inspect", 6, 1, "NULL");
        ban("b2", "client:reporting-agent", "inspect", 6, 2, "CURRENT_TIMESTAMP");
        ban("b3", "client:other", "echo", 6, 3, "NULL");
        ban("old", "client:other", "echo", 6, 40, "NULL");
        ban("hand", "client:other", "echo", 0, 1, "NULL");
        throttle("client:other", "echo", "throttled", 3, 0);
        throttle("client:other", "echo", "throttled", 4, 0);
        throttle("client:reporting-agent", "inspect", "throttled", 90, 0);
        throttle("client:other", "echo", "throttled", 1_000, 2);
        throttle("client:other", "shy", "would_throttle", 8, 0);
        throttle("client:third", "shy", "would_throttle", 1, 3);
        run("UPDATE tool_tier SET burst = 7 WHERE name = 'heavy'");
    }

    @AfterParameterizedClassInvocation
    static void close() {
        requireNonNull(database).close();
    }

    private static void run(String sql) {
        requireNonNull(database).jdbi().useHandle(handle -> handle.execute(sql));
    }

    private static void ban(String id, String principal, String tool, int strikes, int daysAgo, String liftedAt) {
        run(
                "INSERT INTO ban (id, principal, route, tool, strikes, started_at, expires_at, lifted_at, lifted_by, lift_reason)"
                        + " VALUES ('" + id + "', '" + principal + "', '/mcp', '" + tool + "', " + strikes
                        + ", CURRENT_TIMESTAMP - INTERVAL '" + daysAgo + "' DAY, CURRENT_TIMESTAMP + INTERVAL '1' DAY, "
                        + liftedAt
                        + (liftedAt.equals("NULL") ? ", NULL, NULL)" : ", 'ann', 'bug fixed')"));
    }

    private static void throttle(String principal, String tool, String decision, int calls, int daysAgo) {
        run("INSERT INTO throttle_event (happened_at, principal, route, tool, level, decision, calls) VALUES"
                + " (CURRENT_TIMESTAMP - INTERVAL '" + daysAgo + "' DAY, '" + principal + "', '/mcp', '" + tool
                + "', 'tool', '" + decision + "', " + calls + ")");
    }

    /** What a query answers: of each row the named columns. */
    private static List<String> ask(String question, String... columns) {
        String sql = QUERIES.get(question);
        assertThat(sql).as(question).isNotNull();
        return requireNonNull(database)
                .jdbi()
                .withHandle(handle -> handle.createQuery(requireNonNull(sql))
                        .map((row, context) -> {
                            StringBuilder line = new StringBuilder();
                            for (String column : columns) {
                                line.append(line.length() == 0 ? "" : " ").append(row.getString(column));
                            }
                            return line.toString();
                        })
                        .list());
    }

    /** What docs/runbook.md has an operator ask can be asked. */
    @Test
    void theQueriesOfTheRunbookRun() throws Exception {
        Matcher commands =
                Pattern.compile("sql \"(SELECT [^\"]+)\"").matcher(Files.readString(Path.of("docs/runbook.md")));
        int asked = 0;
        while (commands.find()) {
            String sql = commands.group(1);
            requireNonNull(database)
                    .jdbi()
                    .useHandle(handle -> handle.createQuery(sql).mapToMap().list());
            asked++;
        }
        assertThat(asked).isGreaterThanOrEqualTo(3);
    }

    @Test
    void whoWasBanned() {
        assertThat(ask("Who was banned last week, and by which tool?", "principal", "tool", "bans"))
                .containsExactly("client:reporting-agent inspect 2", "client:other echo 1");
    }

    @Test
    void whoRanIntoLimits() {
        assertThat(ask("Who ran into limits most since yesterday, and where?", "principal", "tool", "level", "refused"))
                .containsExactly("client:reporting-agent inspect tool 90", "client:other echo tool 7");
    }

    @Test
    void whenTheStormBegan() {
        // At the turn of a minute there may be two rows.
        assertThat(ask("When did the storm begin, and how did it go on?", "refused").stream()
                        .mapToLong(Long::parseLong)
                        .sum())
                .isEqualTo(97);
    }

    @Test
    void whatIsProven() {
        assertThat(ask("What is proven against one client?", "id", "lifted_by")).containsExactly("b1 null", "b2 ann");
    }

    @Test
    void whichBansWereLifted() {
        assertThat(ask("Which bans were lifted before their end, by whom, and why?", "id", "lifted_by", "lift_reason"))
                .containsExactly("b2 ann bug fixed");
    }

    @Test
    void whoChangedThePolicy() {
        assertThat(ask("Who changed the policy last week, and what was it before?", "action", "table_name", "row_name"))
                .containsExactly("update tool_tier heavy", "insert ban hand");
    }

    @Test
    void whatAShadowWouldHaveRefused() {
        assertThat(ask("What would a tier have refused, had it not been in shadow mode?", "tool", "callers", "calls"))
                .containsExactly("shy 2 9");
    }

    @Test
    void noQueryIsLeftOut() {
        assertThat(QUERIES).hasSize(7);
    }
}
