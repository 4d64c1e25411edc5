package dev.weir.store;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.ban.Ban;
import dev.weir.ban.BanRule;
import dev.weir.ban.Precedent;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@OnEveryDatabase
class JdbcBanHistoryTest {

    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00.123456Z");

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private Database database;
    private WriteQueue queue;
    private JdbcBanHistory history;

    JdbcBanHistoryTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
        queue = WriteQueue.keeping(database);
        history = new JdbcBanHistory(database, queue, "node-1");
        new Thread(queue).start();
    }

    @AfterEach
    void close() {
        queue.stop(Duration.ofSeconds(10));
        database.close();
    }

    @Test
    void aBanComesBackAsItWasRecorded() throws Exception {
        Ban ban = ban("id-1", "client:a", 900);
        recorded(ban).get(10, SECONDS);
        assertThat(active(NOW))
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("evidence")
                .containsExactly(ban);
        assertThat(row("id-1"))
                .containsEntry("scope", "all")
                .containsEntry("strikes", 6)
                .containsEntry("window_seconds", 10)
                .containsEntry("escalation", 2)
                .containsEntry("node", "node-1")
                .containsEntry("lifted_at", null)
                .containsEntry(
                        "evidence",
                        "[{\"at\":\"2026-11-30T11:59:59Z\",\"route\":\"/mcp\",\"tool\":\"inspect\",\"level\":\"tool\",\"arguments\":\"0123456789abcdef\"},"
                                + "{\"at\":\"2026-11-30T12:00:00Z\",\"route\":\"/mcp\",\"tool\":null,\"level\":\"channel\",\"arguments\":null}]");
    }

    @Test
    void bansThatEndedOrWereLiftedByHandDoNotHold() throws Exception {
        recorded(ban("short", "client:a", 10)).get(10, SECONDS);
        recorded(ban("lifted", "client:b", 900)).get(10, SECONDS);
        recorded(ban("long", "client:c", 900)).get(10, SECONDS);
        run("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP WHERE id = 'lifted'");
        assertThat(active(NOW.plusSeconds(10))).extracting(Ban::id).containsExactly("long");
        assertThat(active(NOW.plusSeconds(10).minusNanos(1000)))
                .extracting(Ban::id)
                .containsExactlyInAnyOrder("long", "short");
        assertThat(count()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "client:a:b",
                "key:0123456789abcdef",
                "address:2001:db8:0:0::/64",
                "agent:192.0.2.1 0123456789abcdef"
            })
    void aBanOfEveryKindOfPrincipalIsKept(String principal) throws Exception {
        recorded(ban("id-1", principal, 900)).get(10, SECONDS);
        assertThat(active(NOW)).extracting(Ban::principal).containsExactly(principal);
    }

    @Test
    void recordingABanTwiceMakesOneRow() throws Exception {
        recorded(ban("id-1", "client:a", 900)).get(10, SECONDS);
        recorded(ban("id-1", "client:a", 900)).get(10, SECONDS);
        CompletableFuture.allOf(recorded(ban("id-2", "client:a", 900)), recorded(ban("id-2", "client:a", 900)))
                .get(10, SECONDS);
        assertThat(count()).isEqualTo(2);
    }

    @Test
    void bansRecordedWhileTheTableIsAwayAreCommittedWhenItIsBack() throws Exception {
        run("ALTER TABLE ban RENAME TO ban_away");
        List<CompletableFuture<Void>> bans = IntStream.range(0, 50)
                .mapToObj(i -> recorded(ban("id-" + i, "client:" + i, 900)))
                .toList();
        await().during(Duration.ofMillis(500)).until(() -> bans.stream().noneMatch(CompletableFuture::isDone));
        run("ALTER TABLE ban_away RENAME TO ban");
        CompletableFuture.allOf(bans.toArray(CompletableFuture[]::new)).get(15, SECONDS);
        assertThat(count()).isEqualTo(50);
    }

    @Test
    void aBanBehindALockIsCommittedWhenTheLockIsGone() throws Exception {
        CompletableFuture<Void> done;
        try (Handle other = database.jdbi().open()) {
            other.begin();
            other.execute("INSERT INTO ban (id, principal, expires_at) VALUES ('id-1', 'client:x',"
                    + " TIMESTAMP '2999-01-01 00:00:00')");
            done = recorded(ban("id-1", "client:a", 900));
            // Longer than the lock is waited for, so that the first attempt fails.
            await().during(Duration.ofMillis(2_500))
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> !done.isDone());
            other.rollback();
        }
        done.get(15, SECONDS);
        assertThat(active(NOW)).extracting(Ban::principal).containsExactly("client:a");
    }

    @Test
    void aBanThatTheDatabaseRefusesHoldsUpNoOther() throws Exception {
        CompletableFuture<Void> refused = recorded(ban("bad", "neither", 900));
        recorded(ban("good-1", "client:a", 900)).get(10, SECONDS);
        recorded(ban("good-2", "client:a", 900)).get(10, SECONDS);
        assertThat(refused).isNotDone();
        run("ALTER TABLE ban DROP CONSTRAINT ban_principal_is_of_a_known_kind");
        refused.get(10, SECONDS);
        assertThat(count()).isEqualTo(3);
    }

    @Test
    void theNameOfAToolCannotKeepABanFromBeingRecorded() throws Exception {
        String name = "\0\ud800" + "x".repeat(2_000_000);
        Ban.Evidence strike = new Ban.Evidence(NOW, "/mcp", name, "tool", "0123456789abcdef");
        Ban ban = new Ban(
                "id-1",
                "client:a",
                BanRule.Scope.TOOLS,
                "on " + name,
                "/mcp",
                name,
                1_001,
                10,
                IntStream.range(0, 1_001).mapToObj(i -> strike).toList(),
                0,
                null,
                NOW,
                NOW.plusSeconds(900));
        recorded(ban).get(20, SECONDS);
        Ban read = active(NOW).get(0);
        assertThat(read.tool()).startsWith("\ufffd\ufffdxxx").hasSize(SqlText.LONGEST);
    }

    @Test
    void aBanMadeByHandNeedsAPrincipalAndAnEnd() {
        run("INSERT INTO ban (principal, expires_at) VALUES ('client:a', CURRENT_TIMESTAMP + INTERVAL '1' HOUR)");
        assertThat(active(Instant.now())).singleElement().satisfies(ban -> {
            assertThat(ban.id()).hasSize(36);
            assertThat(ban.principal()).isEqualTo("client:a");
            assertThat(ban.scope()).isEqualTo(BanRule.Scope.TOOLS);
            assertThat(ban.route()).isNull();
            assertThat(ban.evidence()).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evidence = NULL",
                "evidence = ''",
                "evidence = 'he loops'",
                "evidence = '{\"at\":1}'",
                "evidence = '[1, null, {\"at\":\"soon\"}, {\"level\":7}]'",
                "evidence = '[[]'",
                "route = '', tool = '', reason = ''",
            })
    void oddColumnsOfABanDoNotKeepItFromHolding(String odd) throws Exception {
        recorded(ban("id-1", "client:a", 900)).get(10, SECONDS);
        run("UPDATE ban SET " + odd);
        assertThat(active(NOW)).extracting(Ban::principal).containsExactly("client:a");
    }

    @Test
    void aRowThatCannotBeReadIsLeftOutAndTheOthersHold() throws Exception {
        recorded(ban("good", "client:a", 900)).get(10, SECONDS);
        recorded(ban("bad", "client:b", 900)).get(10, SECONDS);
        run("ALTER TABLE ban DROP CONSTRAINT ban_scope_is_tools_or_all");
        run("UPDATE ban SET scope = 'some' WHERE id = 'bad'");
        assertThat(active(NOW)).extracting(Ban::id).containsExactly("good");
    }

    @Test
    void aBanIsLiftedOnceAndWhoAndWhyIsKept() throws Exception {
        history.record(ban("id-1", "client:a", 900));
        assertThat(lifted("id-1", "ann")).as("behind its own record").isTrue();
        assertThat(active(NOW)).isEmpty();
        assertThat(lifted("id-1", "bob")).isFalse();
        assertThat(lifted("no-such", "bob")).isFalse();
        assertThat(row("id-1")).containsEntry("lifted_by", "ann").containsEntry("lift_reason", "bug fixed");
    }

    private boolean lifted(String id, String by) throws Exception {
        return history.lift(id, by, "bug fixed", NOW).toCompletableFuture().get(10, SECONDS);
    }

    @Test
    void theLatestEndedBanForStrikesThatNobodyLiftedIsAClientsPrecedent() throws Exception {
        recorded(ban("a-1", "client:a", 10)).get(10, SECONDS);
        recorded(ban("a-2", "client:a", 20)).get(10, SECONDS);
        recorded(ban("a-3", "client:a", 30)).get(10, SECONDS);
        recorded(ban("b-1", "client:b", 5)).get(10, SECONDS);
        recorded(ban("c-1", "address:192.0.2.1", 900)).get(10, SECONDS);
        run("INSERT INTO ban (id, principal, expires_at) VALUES ('d-1', 'client:d', TIMESTAMP '2999-01-01 00:00:00')");
        lifted("a-3", "ann");
        assertThat(history.precedents(NOW, NOW.plusSeconds(60)))
                .containsExactlyInAnyOrder(
                        new Precedent("client:a", "a-2", NOW.plusSeconds(20), 2),
                        new Precedent("client:b", "b-1", NOW.plusSeconds(5), 2));
        assertThat(history.precedents(NOW.plusSeconds(5), NOW.plusSeconds(60)))
                .extracting(Precedent::banId)
                .containsExactly("a-2");
        assertThat(history.precedents(NOW, NOW.plusSeconds(19)))
                .extracting(Precedent::banId)
                .as("that ended by then")
                .containsExactlyInAnyOrder("a-1", "b-1");
        assertThat(history.precedents(NOW.plusSeconds(20), NOW.plusSeconds(60))).isEmpty();
    }

    /** What a Weir that has just started would read. */
    private List<Ban> active(Instant now) {
        return new JdbcBanHistory(database, queue, "node-2").changes(now).holding();
    }

    private CompletableFuture<Void> recorded(Ban ban) {
        return history.record(ban).toCompletableFuture();
    }

    private static Ban ban(String id, String principal, int seconds) {
        return new Ban(
                id,
                principal,
                BanRule.Scope.ALL,
                "6 throttles in 10s on [inspect]",
                "/mcp",
                "inspect",
                6,
                10,
                List.of(
                        new Ban.Evidence(
                                Instant.parse("2026-11-30T11:59:59Z"), "/mcp", "inspect", "tool", "0123456789abcdef"),
                        new Ban.Evidence(Instant.parse("2026-11-30T12:00:00Z"), "/mcp", null, "channel", null)),
                2,
                null,
                NOW,
                NOW.plusSeconds(seconds));
    }

    private Map<String, Object> row(String id) {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery(
                                "SELECT scope, strikes, window_seconds, escalation, node, lifted_at, lifted_by, lift_reason,"
                                        + " CAST(evidence AS VARCHAR) AS evidence FROM ban WHERE id = ?")
                        .bind(0, id)
                        .mapToMap()
                        .one());
    }

    private int count() {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT COUNT(*) FROM ban")
                        .mapTo(Integer.class)
                        .one());
    }

    private void run(String sql) {
        database.jdbi().useHandle(handle -> handle.execute(sql));
    }
}
