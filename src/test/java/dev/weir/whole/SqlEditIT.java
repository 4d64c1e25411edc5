package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.Database;
import dev.weir.store.DatabaseSettings;
import dev.weir.store.DatabaseUnderTest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Policy edited with plain SQL, by {@code weir.war sql}, while Weir runs. */
@Timeout(120)
class SqlEditIT {

    @TempDir
    Path directory;

    private WeirProcess weir;

    @BeforeEach
    void start() throws Exception {
        weir = WeirProcess.demo(directory);
    }

    @AfterEach
    void stop() {
        weir.close();
    }

    @Test
    void aTierThatWasEditedIsInForceWithinASecond() throws Exception {
        long loaded = weir.policiesLoaded();
        WeirProcess.Run update =
                sql("UPDATE tool_tier SET burst = 1, rate_per_second = 1, cooldown_seconds = 0 WHERE name = 'heavy'");
        assertThat(update.exitCode()).as("%s", update).isZero();
        assertThat(plain(update.stdout())).singleElement().asString().containsPattern("\\b1\\b");

        weir.awaitPolicy(loaded);
        // The tool's first call of all is slow, so somebody else makes it: the agent gets a token back every second.
        RawClient.connect(weir.url(), weir.key("demo-dashboard")).inspect();
        RawClient agent = RawClient.connect(weir.url(), weir.key("demo-agent"));
        assertThat(agent.inspect().admitted()).isTrue();
        RawClient.Answer second = agent.inspect();
        assertThat(second.code()).as("%s", second).isEqualTo(-32029);
        assertThat(second.message().at("/error/data/burst").asInt()).isEqualTo(1);
    }

    @Test
    void aQueryPrintsATable() throws Exception {
        WeirProcess.Run query = sql("SELECT name, burst FROM tool_tier ORDER BY name");

        assertThat(query.exitCode()).as("%s", query).isZero();
        List<String> table = plain(query.stdout());
        assertThat(table).anyMatch(line -> line.matches("(?i).*\\bname\\b.*\\bburst\\b.*"));
        assertThat(table.stream().filter(line -> line.matches(".*\\b(heavy|light|standard)\\b.*\\d+.*")))
                .hasSize(3)
                .isSorted();
        assertThat(table).anyMatch(line -> line.matches(".*\\bheavy\\b.*\\b5\\b.*"));
    }

    @Test
    void aSyntaxErrorIsOneLine() throws Exception {
        WeirProcess.Run run = sql("SELEKT 1");

        assertThat(run.exitCode()).as("%s", run).isEqualTo(2);
        assertThat(plain(run.stderr())).hasSize(1);
    }

    @Test
    void itWorksOnPostgresqlToo() throws Exception {
        DatabaseSettings settings = DatabaseUnderTest.POSTGRESQL.fresh(directory);
        Database.open(settings).close();
        Map<String, String> environment = Map.of(
                "MCP_DB_URL", settings.url(),
                "MCP_DB_USER", settings.user(),
                "MCP_DB_PASSWORD", Objects.requireNonNull(settings.password()));
        WeirProcess.Run query = WeirProcess.run(
                directory, environment, "sql", "UPDATE tool_tier SET burst = 9; SELECT burst FROM tool_tier");

        assertThat(query.exitCode()).as("%s", query).isZero();
        assertThat(plain(query.stdout())).contains("3 rows changed", "9");
    }

    private WeirProcess.Run sql(String statement) throws InterruptedException {
        return WeirProcess.run(directory, Map.of(), "sql", statement);
    }

    private static List<String> plain(List<String> lines) {
        return lines.stream().filter(line -> !line.startsWith("{")).toList();
    }
}
