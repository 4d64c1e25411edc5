package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import dev.weir.auth.Principal;
import dev.weir.ban.ThrottleEvent;
import dev.weir.limit.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@OnEveryDatabase
class JdbcThrottleHistoryTest {

    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private Database database;
    private WriteQueue queue;
    private JdbcThrottleHistory history;
    private boolean running;

    JdbcThrottleHistoryTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
        queue = WriteQueue.dropping(database);
        history = new JdbcThrottleHistory(queue, "node-1");
    }

    @AfterEach
    void close() {
        queue.stop(running ? Duration.ofSeconds(10) : Duration.ZERO);
        database.close();
    }

    private void run() {
        running = true;
        new Thread(queue).start();
    }

    private static ThrottleEvent event(int second, String tool, long calls) {
        return event(second, tool, "tool", calls);
    }

    private static ThrottleEvent event(int second, String tool, String level, long calls) {
        return new ThrottleEvent(
                NOON.plusSeconds(second),
                new ThrottleEvent.Kind("client:a", "/mcp", tool, level, ThrottleEvent.Decision.THROTTLED),
                calls);
    }

    private static List<ThrottleEvent> events(int second, int kinds) {
        return IntStream.range(0, kinds)
                .mapToObj(i -> event(second, "tool-" + i, 1))
                .toList();
    }

    private long number(String sql) {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery(sql).mapTo(Long.class).one());
    }

    private long rows() {
        return number("SELECT COUNT(*) FROM throttle_event");
    }

    private long calls() {
        return number("SELECT COALESCE(SUM(calls), 0) FROM throttle_event");
    }

    private void sql(String statement) {
        database.jdbi().useHandle(handle -> handle.execute(statement));
    }

    @Test
    void anEventIsARowWithAllThatItSays() {
        run();
        history.record(List.of(new ThrottleEvent(
                NOON,
                new ThrottleEvent.Kind("address:::1", "/mcp", "", "channel", ThrottleEvent.Decision.WOULD_THROTTLE),
                140)));
        await().until(() -> rows() == 1);
        Map<String, Object> row = database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT * FROM throttle_event")
                        .mapToMap()
                        .one());
        assertThat(row)
                .containsEntry("principal", "address:::1")
                .containsEntry("route", "/mcp")
                .containsEntry("tool", "")
                .containsEntry("level", "channel")
                .containsEntry("decision", "would_throttle")
                .containsEntry("calls", 140L)
                .containsEntry("node", "node-1");
        assertThat(database.jdbi()
                        .<OffsetDateTime, RuntimeException>withHandle(
                                handle -> handle.createQuery("SELECT happened_at FROM throttle_event")
                                        .mapTo(OffsetDateTime.class)
                                        .one()))
                .isEqualTo(NOON.atOffset(ZoneOffset.UTC));
    }

    @Test
    void theTableTakesEveryLevel() {
        run();
        List<String> levels = List.of("method", "concurrency", "unproven");
        history.record(levels.stream().map(level -> event(0, "", level, 1)).toList());
        for (Level level : Level.values()) {
            history.record(List.of(event(0, "x", level.word(), 1)));
        }
        await().until(() -> rows() == levels.size() + Level.values().length);
        assertThat(history.dropped()).isZero();
    }

    @Test
    void theTableTakesEveryKindOfPrincipal() {
        run();
        List<Principal> principals = List.of(
                Principal.client("a"),
                Principal.key(ApiKey.digest("secret")),
                Principal.user("alice"),
                Principal.address("192.0.2.1"),
                Principal.agent("192.0.2.1", "a browser\n" + "x".repeat(5_000)));
        history.record(principals.stream()
                .map(who -> new ThrottleEvent(
                        NOON,
                        new ThrottleEvent.Kind(who.key(), "/mcp", "", "channel", ThrottleEvent.Decision.THROTTLED),
                        1))
                .toList());
        await().until(() -> rows() == Principal.Kind.values().length);
        assertThat(history.dropped()).isZero();
    }

    @Test
    void whateverAnAgentCallsAToolIsTaken() {
        run();
        history.record(List.of(event(0, "nul \0 half \ud800 '; DROP TABLE ban --" + "x".repeat(5_000), 1)));
        await().until(() -> rows() == 1);
        assertThat(number("SELECT MAX(CHAR_LENGTH(tool)) FROM throttle_event")).isEqualTo(SqlText.LONGEST);
    }

    @Test
    void rowsThatWaitArePutTogetherByTheMinuteWhileThereAreMany() {
        for (int second = 0; second < 70; second++) {
            history.record(events(second, 100));
        }
        assertThat(history.waiting()).isLessThan(2_100);
        run();
        await().atMost(Duration.ofSeconds(20)).until(() -> calls() == 7_000);
        assertThat(rows()).isLessThan(2_600);
        assertThat(history.dropped()).isZero();
        assertThat(number("SELECT COUNT(*) FROM throttle_event WHERE tool = 'tool-7'"
                        + " AND happened_at >= TIMESTAMP WITH TIME ZONE '2026-11-30 12:01:00+00'"))
                .as("rows of the second minute")
                .isPositive();
    }

    @Test
    void fewRowsKeepTheirSecondsHoweverLongTheyWait() {
        for (int second = 0; second < 100; second++) {
            history.record(List.of(event(second, "a", 2)));
        }
        run();
        await().until(() -> rows() == 100);
        assertThat(calls()).isEqualTo(200);
    }

    @Test
    void whatCannotWaitAnyMoreIsDroppedAndCounted() {
        history.record(events(0, 500));
        for (int i = 0; i < 5; i++) {
            int part = i;
            history.record(IntStream.range(0, 5_000)
                    .mapToObj(n -> event(1, "part-" + part + "-" + n, 3))
                    .toList());
        }
        assertThat(history.waiting()).isEqualTo(20_000);
        assertThat(history.dropped()).isEqualTo(15_000);
        history.record(List.of(event(2, "part-0-0", 1)));
        assertThat(history.dropped()).as("a kind that waits already has room").isEqualTo(15_000);
    }

    @Test
    void theTableAwayOnlyDelaysRows() {
        sql("ALTER TABLE throttle_event RENAME TO away");
        run();
        history.record(List.of(event(0, "a", 1)));
        await().during(Duration.ofMillis(300)).until(() -> queue.length() == 1);
        history.record(List.of(event(1, "a", 1)));
        sql("ALTER TABLE away RENAME TO throttle_event");
        await().until(() -> rows() == 2);
        await().until(() -> queue.length() == 0);
    }

    @Test
    void aBatchThatTheDatabaseRefusesIsGivenUpAndTheNextIsTaken() {
        run();
        history.record(List.of(event(0, "a", "no such level", 5)));
        await().until(() -> history.dropped() == 5);
        history.record(List.of(event(1, "b", 1)));
        await().until(() -> rows() == 1);
        await().until(() -> queue.length() == 0);
    }

    @Test
    void flushingAndStoppingWritesAllThatWaits() {
        history.record(events(0, 1_600));
        history.record(events(1, 10));
        run();
        history.flush();
        assertThat(queue.stop(Duration.ofSeconds(20))).isTrue();
        assertThat(rows()).isEqualTo(1_610);
        assertThat(history.waiting()).isZero();
    }
}
