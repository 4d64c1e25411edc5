package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.ban.Ban;
import dev.weir.ban.BanArchive;
import dev.weir.ban.BanRecord;
import dev.weir.ban.BanRule;
import dev.weir.ban.Place;
import dev.weir.ban.ThrottleArchive;
import dev.weir.ban.ThrottleEvent;
import dev.weir.ban.ThrottleRecord;
import dev.weir.policy.AdminEvent;
import dev.weir.policy.AdminEvents;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was written down is found again: by filters, page by page, and in sums. */
@OnEveryDatabase
class HistoryArchivesTest {

    private static final Instant THEN = Instant.parse("2026-11-30T23:59:30Z");
    private static final BanArchive.Filter ALL_BANS = bansOf(null, null);
    private static final ThrottleArchive.Filter ALL = throttlesOf(null, null, null);

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private Database database;
    private BanArchive bans;
    private ThrottleArchive throttles;
    private AdminEvents events;

    HistoryArchivesTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
        bans = new JdbcBanArchive(database);
        throttles = new JdbcThrottleArchive(database);
        events = new JdbcAdminEvents(database);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static BanArchive.Filter bansOf(BanRecord.@Nullable State state, @Nullable String principal) {
        return new BanArchive.Filter(state, principal, null, null, null, null, THEN);
    }

    private static ThrottleArchive.Filter throttlesOf(
            @Nullable String principal, @Nullable String tool, ThrottleEvent.@Nullable Decision decision) {
        return new ThrottleArchive.Filter(principal, null, tool, null, decision, null, null, null);
    }

    private void throttle(long seconds, String principal, String route, String tool, String level, long calls) {
        database.jdbi()
                .useHandle(handle -> handle.execute(
                        "INSERT INTO throttle_event (happened_at, principal, route, tool, level, calls, node)"
                                + " VALUES (?, ?, ?, ?, ?, ?, 'n1')",
                        SqlTime.of(THEN.plusSeconds(seconds)),
                        principal,
                        route,
                        tool,
                        level,
                        calls));
    }

    private static Ban ban(String id, String principal, long started, List<Ban.Evidence> evidence) {
        Instant start = THEN.plusSeconds(started);
        return new Ban(
                id,
                principal,
                BanRule.Scope.TOOLS,
                "r",
                "/mcp",
                "T1",
                evidence.size(),
                10,
                evidence,
                0,
                evidence.isEmpty() ? "ann" : null,
                start,
                start.plusSeconds(60));
    }

    /** Does something with bans as a running Weir does. */
    private void written(Ban... all) throws Exception {
        WriteQueue queue = WriteQueue.keeping(database);
        Thread writer = new Thread(queue);
        writer.start();
        JdbcBanHistory history = new JdbcBanHistory(database, queue, "n1");
        for (Ban ban : all) {
            history.record(ban);
        }
        history.lift("lifted", "bob", "mended", THEN).toCompletableFuture().get(30, TimeUnit.SECONDS);
        assertThat(queue.stop(Duration.ofSeconds(30))).isTrue();
        writer.join();
    }

    @Test
    void bansAreFoundByWhatBecameOfThem() throws Exception {
        Ban.Evidence strike = new Ban.Evidence(THEN, "/mcp", null, "tool", "abc");
        written(
                ban("active", "client:a", -1, List.of(strike)),
                ban("lifted", "client:b", -2, List.of()),
                ban("ended", "client:a", -61, List.of(strike)));
        assertThat(bans.page(ALL_BANS, null, 10))
                .extracting(record -> record.ban().id())
                .containsExactly("active", "lifted", "ended");
        for (BanRecord.State state : BanRecord.State.values()) {
            assertThat(bans.page(bansOf(state, null), null, 10))
                    .as("%s", state)
                    .singleElement()
                    .satisfies(record -> assertThat(record.state(THEN)).isEqualTo(state));
        }
        assertThat(bans.page(bansOf(null, "client:a"), null, 10)).hasSize(2);
        assertThat(bans.page(bansOf(BanRecord.State.ENDED, "client:b"), null, 10))
                .isEmpty();
        assertThat(bans.find("nobody")).isNull();
        BanRecord active = found("active");
        assertThat(active.ban().evidence()).containsExactly(strike);
        assertThat(active.node()).isEqualTo("n1");
        assertThat(found("lifted").lift()).isEqualTo(new BanRecord.Lift(THEN, "bob", "mended"));
    }

    private BanRecord found(String id) {
        return Objects.requireNonNull(bans.find(id), id);
    }

    @Test
    void evidenceThatNobodyCanReadIsNone() {
        for (String text : new String[] {"'no json'", "'[{}]'", "'7'", "NULL"}) {
            database.jdbi().useHandle(handle -> {
                handle.execute("DELETE FROM ban");
                handle.execute("INSERT INTO ban (id, principal, expires_at, evidence) VALUES ('x', 'client:a',"
                        + " TIMESTAMP '2999-01-01 00:00:00', " + text + ")");
            });
            assertThat(found("x").ban().evidence()).isEmpty();
        }
    }

    @Test
    void whoBansAndLiftsIsWrittenDownAndNobodyIsTakenForTheOneBefore() throws Exception {
        Ban.Evidence strike = new Ban.Evidence(THEN, "/mcp", null, "tool", null);
        written(ban("lifted", "client:b", -2, List.of()), ban("struck", "client:a", -1, List.of(strike)));
        assertThat(events.page(eventsOf("ban", null), null, 10))
                .extracting(AdminEvent::by, AdminEvent::action)
                .containsExactly(tuple("bob", "update"), tuple("ann", "insert"));
        database.jdbi().useHandle(handle -> handle.execute("DELETE FROM ban WHERE id = 'none'"));
        for (int i = 0; i < 5; i++) {
            int burst = 7 + i;
            database.jdbi()
                    .useHandle(handle -> handle.execute("UPDATE tool_tier SET burst = ? WHERE name = 'heavy'", burst));
        }
        assertThat(events.page(eventsOf("tool_tier", "heavy"), null, 10))
                .hasSize(5)
                .noneMatch(event -> event.by().equals("ann") || event.by().equals("bob"));
    }

    private static AdminEvents.Filter eventsOf(@Nullable String table, @Nullable String row) {
        return new AdminEvents.Filter(table, row, null, null, null, null);
    }

    @Test
    void changesAreFoundByEachFilter() {
        database.jdbi().useHandle(handle -> {
            handle.execute("UPDATE tool_tier SET burst = 7 WHERE name = 'heavy'");
            handle.execute("INSERT INTO client (id, name) VALUES ('a', 'A')");
            handle.execute("DELETE FROM client");
        });
        List<AdminEvent> all = events.page(eventsOf(null, null), null, 10);
        assertThat(all).extracting(AdminEvent::action).containsExactly("delete", "insert", "update");
        assertThat(all.get(0).before()).contains("\"A\"");
        assertThat(all.get(0).after()).isNull();
        String by = all.get(0).by();
        Instant last = all.get(0).at();
        assertThat(events.page(eventsOf("client", null), null, 10)).hasSize(2);
        assertThat(events.page(eventsOf(null, "heavy"), null, 10)).hasSize(1);
        assertThat(events.page(new AdminEvents.Filter(null, null, by, "insert", null, null), null, 10))
                .hasSize(1);
        assertThat(events.page(new AdminEvents.Filter(null, null, "x", null, null, null), null, 10))
                .isEmpty();
        assertThat(events.page(new AdminEvents.Filter(null, null, null, null, last, null), null, 10))
                .isNotEmpty();
        assertThat(events.page(new AdminEvents.Filter(null, null, null, null, last.plusSeconds(1), null), null, 10))
                .isEmpty();
    }

    @Test
    void throttlesAreFoundByEachFilter() {
        throttle(0, "client:a", "/mcp", "T1", "tool", 1);
        throttle(1, "client:a", "/mcp", "T2", "route", 2);
        throttle(2, "client:b", "/b", "T1", "tool", 3);
        database.jdbi()
                .useHandle(handle -> handle.execute(
                        "UPDATE throttle_event SET decision = 'would_throttle', node = 'n2' WHERE calls = 3"));
        assertThat(calls(ALL)).containsExactly(3L, 2L, 1L);
        assertThat(calls(throttlesOf("client:a", null, null))).containsExactly(2L, 1L);
        assertThat(calls(throttlesOf("client:a", "T1", null))).containsExactly(1L);
        assertThat(calls(throttlesOf(null, "T1", null))).containsExactly(3L, 1L);
        assertThat(calls(throttlesOf(null, null, ThrottleEvent.Decision.WOULD_THROTTLE)))
                .containsExactly(3L);
        assertThat(calls(new ThrottleArchive.Filter(null, "/mcp", null, "route", null, "n1", null, null)))
                .containsExactly(2L);
        assertThat(calls(new ThrottleArchive.Filter(
                        null, null, null, null, null, null, THEN.plusSeconds(1), THEN.plusSeconds(2))))
                .containsExactly(2L);
    }

    private List<Long> calls(ThrottleArchive.Filter filter) {
        return throttles.page(filter, null, 10).stream()
                .map(ThrottleRecord::calls)
                .toList();
    }

    @Test
    void callsAreSummedUp() {
        throttle(0, "client:a", "/mcp", "T1", "tool", 1);
        throttle(29, "client:a", "/mcp", "T2", "route", 2);
        throttle(30, "client:b", "/b", "T1", "tool", 5);
        assertThat(throttles.sums(ALL, ThrottleArchive.By.PRINCIPAL))
                .containsExactly(
                        new ThrottleArchive.Sum("client:b", null, null, null, null, 5),
                        new ThrottleArchive.Sum("client:a", null, null, null, null, 3));
        assertThat(throttles.sums(ALL, ThrottleArchive.By.TOOL))
                .containsExactly(
                        new ThrottleArchive.Sum(null, "/b", "T1", null, null, 5),
                        new ThrottleArchive.Sum(null, "/mcp", "T2", null, null, 2),
                        new ThrottleArchive.Sum(null, "/mcp", "T1", null, null, 1));
        assertThat(throttles.sums(throttlesOf("client:a", null, null), ThrottleArchive.By.ROUTE))
                .containsExactly(new ThrottleArchive.Sum(null, "/mcp", null, null, null, 3));
        assertThat(throttles.sums(ALL, ThrottleArchive.By.LEVEL))
                .extracting(ThrottleArchive.Sum::calls)
                .containsExactly(6L, 2L);
        assertThat(throttles.course(ALL, Duration.ofDays(1)))
                .containsExactly(step("2026-11-30T00:00:00Z", 3), step("2026-12-01T00:00:00Z", 5));
        assertThat(throttles.course(ALL, Duration.ofMinutes(1)))
                .containsExactly(step("2026-11-30T23:59:00Z", 3), step("2026-12-01T00:00:00Z", 5));
    }

    private static ThrottleArchive.Sum step(String at, long calls) {
        return new ThrottleArchive.Sum(null, null, null, null, Instant.parse(at), calls);
    }

    @Test
    void pagesHaveNoGapsAndNothingTwiceWhileOthersWrite() throws Exception {
        database.jdbi()
                .useHandle(handle -> handle.execute(
                        "INSERT INTO throttle_event (happened_at, principal, level, calls)"
                                + " SELECT CAST(? AS TIMESTAMP WITH TIME ZONE), 'client:a', 'tool', n"
                                + " FROM generate_series(1, 500) AS numbers (n)",
                        SqlTime.of(THEN)));
        AtomicBoolean stop = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            for (long i = 1; !stop.get(); i++) {
                throttle(i % 3, "client:a", "", "", "tool", 10_000 + i);
            }
        });
        List<Long> seen = new ArrayList<>();
        try {
            writer.start();
            Place after = null;
            List<ThrottleRecord> page;
            do {
                page = throttles.page(throttlesOf("client:a", null, null), after, 37);
                page.forEach(row -> seen.add(row.calls()));
                after = page.isEmpty() ? null : page.get(page.size() - 1).place();
            } while (page.size() == 37);
        } finally {
            stop.set(true);
            writer.join();
        }
        assertThat(seen).doesNotHaveDuplicates();
        assertThat(seen.stream().filter(calls -> calls <= 500)).hasSize(500);
    }
}
