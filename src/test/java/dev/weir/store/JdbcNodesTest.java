package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@OnEveryDatabase
@Timeout(60)
class JdbcNodesTest {

    private static final Instant STARTED = Instant.parse("2026-12-01T04:30:00Z");

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private Database database;
    private JdbcNodes nodes;

    JdbcNodesTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
        nodes = new JdbcNodes(database);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void aNodeIsOneRowHoweverOftenItWrites() {
        nodes.write("h#1", "h", STARTED, false, "{\"a\":1}");
        nodes.write("h#1", "h", STARTED, false, "{\"a\":2}");
        nodes.write("h#2", "h", STARTED, true, "{}");
        List<JdbcNodes.Row> rows = nodes.all();
        assertThat(rows).extracting(JdbcNodes.Row::id).containsExactly("h#1", "h#2");
        assertThat(rows.get(0).sample()).isEqualTo("{\"a\":2}");
        assertThat(rows.get(0).watched()).isNull();
        assertThat(rows.get(0).age()).isBetween(Duration.ofSeconds(-1), Duration.ofSeconds(30));
        assertThat(rows.get(1).watched()).isBetween(Duration.ofSeconds(-1), Duration.ofSeconds(30));
    }

    @Test
    void whoStopsWatchingLeavesTheTimeAtWhichItDid() {
        nodes.write("h#1", "h", STARTED, true, "{}");
        nodes.write("h#1", "h", STARTED, false, "{}");
        assertThat(nodes.all().get(0).watched()).isNotNull();
    }

    @Test
    void aNodeThatStopsIsForgottenAndOneThatWasNotSeenForADayToo() {
        nodes.write("h#1", "h", STARTED, false, "{}");
        nodes.write("h#2", "h", STARTED, false, "{}");
        nodes.write("h#3", "h", STARTED, false, "{}");
        nodes.delete("h#1");
        database.jdbi()
                .useHandle(handle -> handle.execute(
                        "UPDATE node SET seen_at = CURRENT_TIMESTAMP - INTERVAL '25' HOUR WHERE id = 'h#2'"));
        assertThat(nodes.all().get(0).age()).isGreaterThan(Duration.ofHours(24));
        nodes.deleteOld();
        assertThat(nodes.all()).extracting(JdbcNodes.Row::id).containsExactly("h#3");
    }
}
