package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.limit.Limit;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyRows;
import dev.weir.policy.edit.Change;
import dev.weir.policy.edit.EditRefusedException;
import dev.weir.policy.edit.EditRefusedException.Why;
import dev.weir.policy.edit.TableRow;
import dev.weir.policy.table.Table;
import dev.weir.policy.table.Tables;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** Changes by hand are made together or not at all, never over somebody else's, and under the name of whoever makes them. */
@OnEveryDatabase
class JdbcPolicyDeskTest {

    private static final PolicyBase BASE = new PolicyBase(true, Limit.of(100, 50), Limit.of(1_000, 2_000), null);

    private static final Table TIER = Tables.named("tool_tier");
    private static final Table ROUTE = Tables.named("route");
    private static final Table TOOL = Tables.named("tool");
    private static final Table SETTING = Tables.named("setting");

    @TempDir
    static Path directory;

    private static @Nullable Database opened;

    private final DatabaseUnderTest kind;
    private final Database database;
    private final JdbcPolicyDesk desk;

    JdbcPolicyDeskTest(DatabaseUnderTest kind) {
        this.kind = kind;
        database = Objects.requireNonNull(opened);
        desk = new JdbcPolicyDesk(database, BASE);
    }

    @BeforeParameterizedClassInvocation
    static void open(DatabaseUnderTest kind) throws Exception {
        opened = Database.open(kind.fresh(directory));
    }

    @AfterParameterizedClassInvocation
    static void close() {
        Objects.requireNonNull(opened).close();
    }

    @BeforeEach
    void begin() {
        database.jdbi().useTransaction(handle -> {
            for (Table table : List.of(SETTING, ROUTE, Tables.named("client"), TIER)) {
                handle.execute("DELETE FROM " + table.name());
            }
            handle.execute("INSERT INTO tool_tier (name, rate_per_second, burst, cooldown_seconds)"
                    + " VALUES ('heavy', 2, 5, 30), ('light', 30, 60, 0), ('standard', 10, 20, 0)");
            handle.execute("INSERT INTO route (prefix, upstream_url) VALUES ('/mcp', 'http://127.0.0.1:1/mcp')");
            handle.execute("DELETE FROM admin_event");
        });
    }

    private void run(String sql) {
        database.jdbi().useHandle(handle -> handle.execute(sql));
    }

    private PolicyRows rows() {
        return new JdbcPolicyStore(database).load();
    }

    private static Change create(Table table, Object... columns) {
        return Change.create(table, table.complete(values(columns)));
    }

    private static Map<String, @Nullable Object> values(Object... columns) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (int i = 0; i < columns.length; i += 2) {
            values.put((String) columns[i], columns[i + 1]);
        }
        return values;
    }

    /** Whatever the row is like. */
    private static boolean any(String tag) {
        return !tag.isEmpty();
    }

    private static Change tool(String name) {
        return create(TOOL, "route", "/mcp", "name", name, "tier", "heavy");
    }

    private EditRefusedException refused(Change... changes) {
        PolicyRows before = rows();
        int events = events().size();
        EditRefusedException refused =
                catchThrowableOfType(EditRefusedException.class, () -> desk.edit("ann", List.of(changes)));
        assertThat(rows()).as("all is as it was on %s", kind).isEqualTo(before);
        assertThat(events()).as("and nothing was written down").hasSize(events);
        return Objects.requireNonNull(refused, "the changes were made");
    }

    private List<Map<String, Object>> events() {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT changed_by, action, table_name, row_name,"
                                + " CAST(row_before AS VARCHAR) AS was, CAST(row_after AS VARCHAR) AS now"
                                + " FROM admin_event ORDER BY id")
                        .mapToMap()
                        .list());
    }

    @Test
    void aRowIsMadeReadChangedAndDeletedAndEachIsWrittenDownUnderTheOperatorsName() throws Exception {
        Change create = create(TIER, "name", "slow", "rate_per_second", new BigDecimal("0.5"), "burst", 2L);
        TableRow made = Objects.requireNonNull(desk.edit("ann", List.of(create)).get(0));
        assertThat(made.values())
                .containsEntry("rate_per_second", new BigDecimal("0.5"))
                .containsEntry("mode", "enforce");
        assertThat(desk.find(TIER, List.of("slow"))).isEqualTo(made);
        Change change = Change.update(TIER, List.of("slow"), values("burst", 3L), made.tag()::equals);
        TableRow changed =
                Objects.requireNonNull(desk.edit("bob", List.of(change)).get(0));
        assertThat(changed.values()).containsEntry("burst", 3L).containsEntry("rate_per_second", new BigDecimal("0.5"));
        assertThat(changed.tag()).isNotEqualTo(made.tag());
        assertThat(desk.edit("eve", List.of(Change.delete(TIER, List.of("slow"), changed.tag()::equals)))
                        .get(0))
                .isNull();
        assertThat(desk.find(TIER, List.of("slow"))).isNull();
        List<Map<String, Object>> events = events();
        assertThat(events.subList(events.size() - 3, events.size()))
                .extracting(event -> event.get("changed_by") + " " + event.get("action") + " " + event.get("row_name"))
                .containsExactly("ann insert slow", "bob update slow", "eve delete slow");
        assertThat((String) events.get(events.size() - 2).get("was"))
                .contains("\"burst\"")
                .contains("2");
    }

    @Test
    void nobodyElseIsTakenForTheOperatorWhetherTheChangeWasMadeOrNot() throws Exception {
        var unused = desk.edit("ann", List.of(tool("T1")));
        assertThat(refused(tool("T1")).why()).isEqualTo(Why.EXISTS);
        for (int i = 0; i < 8; i++) {
            // More often than there are connections.
            run("UPDATE tool SET cost = cost + 1");
        }
        List<Map<String, Object>> events = events();
        assertThat(events.subList(events.size() - 8, events.size()))
                .allSatisfy(event -> assertThat(event.get("changed_by")).isNotEqualTo("ann"));
    }

    @Test
    void listsAreFilteredAndPagedInTheOrderOfKeys() throws Exception {
        List<Change> changes = new ArrayList<>();
        for (String name : List.of("b", "a", "D", "c", "ä", "e/f g")) {
            changes.add(tool(name));
        }
        changes.add(create(ROUTE, "prefix", "/x", "upstream_url", "http://127.0.0.1:1"));
        changes.add(create(TOOL, "route", "/x", "name", "a", "tier", "light"));
        var unused = desk.edit("ann", changes);
        List<TableRow> all = desk.list(TOOL, Map.of(), null, 100);
        assertThat(all).hasSize(7);
        List<TableRow> paged = new ArrayList<>();
        List<TableRow> page = desk.list(TOOL, Map.of(), null, 2);
        while (!page.isEmpty()) {
            paged.addAll(page);
            page = desk.list(TOOL, Map.of(), paged.get(paged.size() - 1).key(), 2);
        }
        assertThat(paged).isEqualTo(all);
        assertThat(desk.list(TOOL, Map.of("route", "/x"), null, 100))
                .extracting(TableRow::key)
                .containsExactly(List.of("/x", "tool", "a"));
        assertThat(desk.list(TOOL, Map.of("tier", "light", "name", "b"), null, 100))
                .isEmpty();
    }

    @Test
    void allChangesAreMadeOrNone() throws Exception {
        EditRefusedException refused = refused(
                tool("T1"), tool("T2"), Change.delete(TOOL, List.of("/mcp", "tool", "T3"), JdbcPolicyDeskTest::any));
        assertThat(refused.why()).isEqualTo(Why.MISSING);
        assertThat(refused.change()).isEqualTo(2);
        assertThat(refused).hasMessage("There is no row tool [/mcp tool T3].");
        assertThat(desk.edit(
                        "ann",
                        List.of(
                                tool("T1"),
                                Change.delete(TOOL, List.of("/mcp", "tool", "T1"), JdbcPolicyDeskTest::any),
                                tool("T2"))))
                .hasSize(3);
        assertThat(rows().tools()).extracting(PolicyRows.Tool::name).containsExactly("T2");
    }

    @Test
    void aChangeOfWhatSomebodyElseHasChangedIsRefused() throws Exception {
        TableRow seen = Objects.requireNonNull(desk.find(TIER, List.of("heavy")));
        run("UPDATE tool_tier SET burst = 9 WHERE name = 'heavy'");
        assertThat(refused(Change.update(TIER, List.of("heavy"), values("burst", 7L), seen.tag()::equals))
                        .why())
                .isEqualTo(Why.CHANGED);
        assertThat(refused(Change.delete(TIER, List.of("light"), seen.tag()::equals))
                        .why())
                .isEqualTo(Why.CHANGED);
    }

    @Test
    void ofThreeWhoChangeTheSameRowAtTheSameTimeTwoAreRefused() throws Exception {
        TableRow seen = Objects.requireNonNull(desk.find(TIER, List.of("heavy")));
        List<Callable<Boolean>> all = new ArrayList<>();
        CyclicBarrier ready = new CyclicBarrier(3);
        for (long burst = 11; burst <= 13; burst++) {
            Change change = Change.update(TIER, List.of("heavy"), values("burst", burst), seen.tag()::equals);
            all.add(() -> {
                ready.await();
                return isMade(change);
            });
        }
        assertThat(atTheSameTime(all)).containsExactlyInAnyOrder(true, false, false);
        assertThat(events())
                .filteredOn(event -> "heavy".equals(event.get("row_name")) && !"insert".equals(event.get("action")))
                .hasSize(1);
    }

    /** Whether a change is made, and not refused for another one. */
    private boolean isMade(Change change) {
        try {
            return !desk.edit("ann", List.of(change)).isEmpty();
        } catch (EditRefusedException e) {
            assertThat(e.why()).isIn(Why.CHANGED, Why.NO_POLICY);
            return false;
        }
    }

    private static List<Boolean> atTheSameTime(List<Callable<Boolean>> all) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(all.size());
        try {
            List<Boolean> results = new ArrayList<>();
            for (Future<Boolean> future : threads.invokeAll(all)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void whoeverWaitsTooLongForSomebodyElsesTransactionIsToldSo() throws Exception {
        try (Handle other = database.jdbi().open()) {
            other.begin();
            other.execute("UPDATE tool_tier SET burst = 9 WHERE name = 'heavy'");
            EditRefusedException refused =
                    refused(Change.update(TIER, List.of("heavy"), values("burst", 7L), JdbcPolicyDeskTest::any));
            assertThat(refused.why()).isEqualTo(Why.BUSY);
            other.rollback();
        }
        assertThat(desk.edit(
                        "ann",
                        List.of(Change.update(TIER, List.of("heavy"), values("burst", 7L), JdbcPolicyDeskTest::any))))
                .hasSize(1);
    }

    @Test
    void whatARowRefersToHasToBeThere() {
        EditRefusedException route = refused(create(TOOL, "route", "/nowhere", "name", "T1", "tier", "heavy"));
        assertThat(route.faults())
                .containsExactly(new EditRefusedException.Fault(
                        "route", "names a route that is not there: there is no route [/nowhere]"));
        EditRefusedException tier = refused(create(TOOL, "route", "/mcp", "name", "T1", "tier", "heavi"));
        assertThat(tier.faults()).extracting(EditRefusedException.Fault::column).containsExactly("tier");
        run("INSERT INTO client (id, name) VALUES ('a', 'A')");
        EditRefusedException tool =
                refused(create(Tables.named("client_tool"), "client", "a", "route", "/mcp", "tool", "T9"));
        assertThat(tool).hasMessage("tool names a tool that is not there: there is no tool [/mcp tool T9]");
    }

    @Test
    void aTierThatIsUsedStaysAndItIsSaidByWhom() throws Exception {
        var unused = desk.edit("ann", List.of(tool("T1"), tool("T2"), tool("T3"), tool("T4")));
        EditRefusedException refused = refused(Change.delete(TIER, List.of("heavy"), JdbcPolicyDeskTest::any));
        assertThat(refused.why()).isEqualTo(Why.IN_USE);
        assertThat(refused)
                .hasMessage(
                        "tool_tier [heavy] is still used by tool [/mcp tool T1], tool [/mcp tool T2], tool [/mcp tool T3] and"
                                + " others.");
    }

    @Test
    void whatWouldMakeNoPolicyIsRefusedWithEveryProblem() {
        EditRefusedException refused = refused(
                create(SETTING, "name", "ban.duration_seconds", "content", "100000"),
                create(TOOL, "route", "/mcp", "kind", "method", "name", "ping", "tier", "heavy"));
        assertThat(refused.why()).isEqualTo(Why.NO_POLICY);
        assertThat(refused.problems())
                .extracting(problem -> problem.table())
                .containsExactlyInAnyOrder("setting", "tool");
        assertThat(refused(Change.delete(TIER, List.of("standard"), JdbcPolicyDeskTest::any))
                        .why())
                .isEqualTo(Why.NO_POLICY);
    }

    @Test
    void aPolicyThatIsNotUsableCanBeMendedBitByBitAndNotMadeWorse() throws Exception {
        run("INSERT INTO setting (name, content) VALUES ('ban.scope', 'nothing'), ('refusal_form', 'loud')");
        var unused = desk.edit(
                "ann",
                List.of(Change.update(
                        SETTING, List.of("refusal_form"), values("content", "auto"), JdbcPolicyDeskTest::any)));
        assertThat(rows().settings()).contains(new PolicyRows.Setting("refusal_form", "auto"));
        EditRefusedException worse = refused(create(SETTING, "name", "nonsense", "content", "1"));
        assertThat(worse.problems()).extracting(problem -> problem.row()).containsExactly("nonsense");
        unused = desk.edit(
                "ann", List.of(tool("T1"), Change.delete(SETTING, List.of("ban.scope"), JdbcPolicyDeskTest::any)));
        assertThat(rows().tools()).hasSize(1);
    }

    @Test
    void columnsThatDoNotGoTogetherAreRefusedAsTheRowWouldBe() {
        EditRefusedException refused = refused(Change.update(
                ROUTE, List.of("/mcp"), values("rate_per_second", BigDecimal.ONE), JdbcPolicyDeskTest::any));
        assertThat(refused.why()).isEqualTo(Why.UNUSABLE);
        assertThat(refused.faults())
                .extracting(EditRefusedException.Fault::column)
                .containsExactly("burst");
    }

    @Test
    void editsWaitForEachOtherSoThatTheyAreJudgedTogether() throws Exception {
        var unused = desk.edit(
                "ann",
                List.of(
                        create(SETTING, "name", "ban.duration_seconds", "content", "50"),
                        create(SETTING, "name", "ban.max_duration_seconds", "content", "100")));
        // Each is good by itself, and both together are not.
        Change longer = Change.update(
                SETTING, List.of("ban.duration_seconds"), values("content", "90"), JdbcPolicyDeskTest::any);
        Change shorter = Change.update(
                SETTING, List.of("ban.max_duration_seconds"), values("content", "60"), JdbcPolicyDeskTest::any);
        assertThat(atTheSameTime(List.of(() -> isMade(longer), () -> isMade(shorter))))
                .containsExactlyInAnyOrder(true, false);
    }
}
