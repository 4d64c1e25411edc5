package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.ban.Ban;
import dev.weir.ban.BanChanges;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bans are followed by what has changed of them. */
@OnEveryDatabase
class ActiveBansTest {

    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00.123456Z");

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private Database database;
    private ActiveBans bans;

    ActiveBansTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
        bans = new ActiveBans(database, new BanRows());
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void run(String sql) {
        database.jdbi().useHandle(handle -> handle.execute(sql));
    }

    private static String insert(String id, String principal, int seconds) {
        Instant end = NOW.plusSeconds(seconds);
        return "INSERT INTO ban (id, principal, started_at, expires_at) VALUES ('" + id + "', '" + principal
                + "', TIMESTAMP WITH TIME ZONE '2026-11-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '"
                + end.toString().replace('T', ' ').replace("Z", "+00") + "')";
    }

    private void expect(List<String> holding, List<String> gone) {
        expect(NOW, holding, gone);
    }

    private void expect(Instant now, List<String> holding, List<String> gone) {
        BanChanges changes = bans.changes(now);
        assertThat(changes.holding()).as("holding").extracting(Ban::id).containsExactlyInAnyOrderElementsOf(holding);
        assertThat(changes.gone()).as("gone").extracting(Ban::id).containsExactlyInAnyOrderElementsOf(gone);
    }

    @Test
    void eachChangeIsToldOnce() {
        run(insert("a", "client:a", 60));
        run(insert("b", "client:b", 60));
        expect(List.of("a", "b"), List.of());
        expect(List.of(), List.of());
        run(insert("c", "client:c", 60));
        expect(List.of("c"), List.of());
        run("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP WHERE id = 'a'");
        run("UPDATE ban SET scope = 'all' WHERE id = 'b'");
        expect(List.of("b"), List.of("a"));
        run("UPDATE ban SET lifted_at = NULL WHERE id = 'a'");
        run("DELETE FROM ban WHERE id = 'c'");
        expect(List.of("a"), List.of("c"));
        expect(List.of(), List.of());
    }

    @Test
    void aBanThatEndsIsGoneAndHoldsAgainWhenTheClockIsPutBack() {
        run(insert("a", "client:a", 60));
        expect(List.of("a"), List.of());
        expect(NOW.plusSeconds(60).minusNanos(1_000), List.of(), List.of());
        expect(NOW.plusSeconds(60), List.of(), List.of("a"));
        expect(NOW, List.of("a"), List.of());
    }

    @Test
    void aBanThatIsGivenToAnotherPrincipalIsGoneFromTheFirst() {
        run(insert("a", "client:a", 60));
        expect(List.of("a"), List.of());
        run("UPDATE ban SET principal = 'client:b' WHERE id = 'a'");
        BanChanges changes = bans.changes(NOW);
        assertThat(changes.gone()).extracting(Ban::principal).containsExactly("client:a");
        assertThat(changes.holding()).extracting(Ban::principal).containsExactly("client:b");
    }

    @Test
    void whatIsCommittedLateIsSeenAlthoughLaterRowsWereSeenBefore() {
        try (Handle late = database.jdbi().open()) {
            late.begin();
            late.execute(insert("late", "client:a", 60));
            run(insert("soon", "client:b", 60));
            expect(List.of("soon"), List.of());
            late.commit();
        }
        expect(List.of("late"), List.of());
    }

    @Test
    void aRowThatCannotBeReadIsGoneUntilItCanBe() {
        run(insert("a", "client:a", 60));
        expect(List.of("a"), List.of());
        run("ALTER TABLE ban DROP CONSTRAINT ban_scope_is_tools_or_all");
        run("UPDATE ban SET scope = 'some'");
        expect(List.of(), List.of("a"));
        expect(List.of(), List.of());
        run("UPDATE ban SET scope = 'all'");
        expect(List.of("a"), List.of());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whateverHappensWhoFollowsTheChangesKnowsWhatTheTableSays(long seed) {
        Random random = new Random(seed);
        Map<String, Ban> followed = new HashMap<>();
        for (int step = 0; step < 150; step++) {
            for (int i = random.nextInt(3); i > 0; i--) {
                alter(random);
            }
            Instant now = NOW.plusSeconds(random.nextInt(10));
            BanChanges changes = bans.changes(now);
            changes.gone().forEach(ban -> followed.remove(ban.id()));
            changes.holding().forEach(ban -> followed.put(ban.id(), ban));
            List<Ban> table =
                    new ActiveBans(database, new BanRows()).changes(now).holding();
            assertThat(followed.values()).as("step %s", step).containsExactlyInAnyOrderElementsOf(table);
        }
    }

    private void alter(Random random) {
        String id = "id-" + random.nextInt(8);
        switch (random.nextInt(5)) {
            case 0 -> run("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP WHERE id = '" + id + "'");
            case 1 ->
                run("UPDATE ban SET lifted_at = NULL, expires_at = expires_at + INTERVAL '1' SECOND WHERE id = '" + id
                        + "'");
            case 2 -> run("DELETE FROM ban WHERE id = '" + id + "'");
            case 3 ->
                run("UPDATE ban SET scope = 'all', principal = 'client:" + random.nextInt(3) + "' WHERE id = '" + id
                        + "'");
            default -> {
                run("DELETE FROM ban WHERE id = '" + id + "'");
                run(insert(id, "client:" + random.nextInt(3), 1 + random.nextInt(10)));
            }
        }
    }
}
