package dev.weir.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.policy.table.Column;
import dev.weir.policy.table.Reference;
import dev.weir.policy.table.Rule;
import dev.weir.policy.table.Table;
import dev.weir.policy.table.Tables;
import dev.weir.policy.table.Values;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** The tables of the policy are as they are described to operators: no column is missing, none may be what it may not. */
@OnEveryDatabase
class PolicyTablesTest {

    /** A column as the database has it. */
    private record Real(
            String type,
            boolean nullable,
            @Nullable String standard,
            @Nullable Integer longest) {}

    @TempDir
    static Path directory;

    private static @Nullable Database database;

    private final DatabaseUnderTest kind;

    PolicyTablesTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeParameterizedClassInvocation
    static void open(DatabaseUnderTest kind) throws Exception {
        database = Database.open(kind.fresh(directory));
        for (String row : List.of(
                "INSERT INTO route (prefix, upstream_url) VALUES ('/mcp', 'http://127.0.0.1:1/mcp')",
                "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'known', 'heavy')",
                "INSERT INTO client (id, name) VALUES ('a', 'A')",
                "INSERT INTO client_tool (client, route, tool) VALUES ('a', '/mcp', 'known')",
                "INSERT INTO client_route (client, route) VALUES ('a', '/mcp')",
                "INSERT INTO client_token (content, client) VALUES ('app', 'a')",
                "INSERT INTO client_key (sha256, client) VALUES ('" + "0".repeat(64) + "', 'a')")) {
            database.jdbi().useHandle(handle -> handle.execute(row));
        }
    }

    @AfterParameterizedClassInvocation
    static void close() {
        requireNonNull(database).close();
    }

    @Test
    void everyTableOfThePolicyIsDescribedColumnByColumn() {
        assertThat(Tables.ALL.stream().map(Table::name)).containsExactlyInAnyOrderElementsOf(audited());
        for (Table table : Tables.ALL) {
            Map<String, Real> columns = columns(table.name());
            assertThat(table.columns().stream().map(Column::name))
                    .as("%s", table.name())
                    .containsExactlyInAnyOrderElementsOf(columns.keySet());
            for (Column column : table.columns()) {
                agree(table, column, requireNonNull(columns.get(column.name())));
            }
            assertThat(table.key().stream().map(Column::name))
                    .as("%s", table.name())
                    .containsExactlyElementsOf(key(table.name()));
        }
    }

    private static void agree(Table table, Column column, Real real) {
        String name = table.name() + "." + column.name();
        assertThat(column.nullable()).as(name).isEqualTo(real.nullable());
        Object standard = column.standard();
        assertThat(standard == null ? null : standard.toString()).as(name).isEqualTo(real.standard());
        Values.Type type = real.type().startsWith("character")
                ? Values.Type.TEXT
                : real.type().equals("boolean")
                        ? Values.Type.FLAG
                        : real.type().startsWith("timestamp")
                                ? Values.Type.TIME
                                : real.type().equals("numeric") ? Values.Type.NUMBER : Values.Type.WHOLE;
        assertThat(column.values().type()).as(name).isEqualTo(type);
        if (type == Values.Type.TEXT && column.values().words().isEmpty()) {
            assertThat(column.values().longest()).as(name).isEqualTo(real.longest());
        }
    }

    @Test
    void whatADescribedColumnMayBeTheDatabaseTakes() {
        for (Table table : Tables.ALL) {
            for (Column column : table.columns()) {
                if (column.changeable()) {
                    for (String value : extremes(column.values())) {
                        String refused = refused("UPDATE " + table.name() + " SET " + column.name() + " = " + value);
                        assertThat(refused == null
                                        || table.rules().stream()
                                                .map(Rule::constraint)
                                                .anyMatch(refused::contains))
                                .as("%s.%s = %s on %s: %s", table.name(), column.name(), value, kind, refused)
                                .isTrue();
                    }
                }
            }
        }
    }

    private static List<String> extremes(Values values) {
        List<String> extremes = new ArrayList<>();
        values.words().forEach(word -> extremes.add("'" + word + "'"));
        if (values.least() != null && values.most() != null) {
            extremes.add(values.least().toString());
            extremes.add(values.most().toString());
        }
        return extremes;
    }

    @Test
    void everyReferenceIsDescribed() {
        TreeSet<String> described = new TreeSet<>();
        Tables.ALL.forEach(
                table -> table.references().stream().map(Reference::constraint).forEach(described::add));
        assertThat(described)
                .containsExactlyInAnyOrderElementsOf(names(
                        "SELECT constraint_name FROM information_schema.table_constraints WHERE constraint_type = 'FOREIGN KEY'"
                                + " AND table_schema = 'public'"));
    }

    /** Why a statement is refused; null if it is not. It has no effect either way. */
    private static @Nullable String refused(String statement) {
        try {
            requireNonNull(database).jdbi().useTransaction(handle -> {
                handle.execute(statement);
                handle.rollback();
            });
            return null;
        } catch (JdbiException e) {
            return Database.reason(e);
        }
    }

    /** All tables whose changes are written down, but that of bans. */
    private static List<String> audited() {
        return names("SELECT DISTINCT event_object_table FROM information_schema.triggers"
                + " WHERE trigger_name LIKE '%_audited' AND event_object_table <> 'ban'");
    }

    private static List<String> key(String table) {
        return names("SELECT k.column_name FROM information_schema.key_column_usage k WHERE k.table_schema = 'public'"
                + " AND k.constraint_name = '" + table + "_pk' ORDER BY k.ordinal_position");
    }

    private static List<String> names(String sql) {
        return requireNonNull(database)
                .jdbi()
                .withHandle(
                        handle -> handle.createQuery(sql).mapTo(String.class).list());
    }

    private static Map<String, Real> columns(String table) {
        Map<String, Real> columns = new TreeMap<>();
        requireNonNull(database)
                .jdbi()
                .useHandle(handle -> handle.createQuery(
                                "SELECT column_name, data_type, is_nullable, column_default, character_maximum_length"
                                        + " FROM information_schema.columns WHERE table_schema = 'public' AND table_name = ?")
                        .bind(0, table)
                        .map((row, context) -> columns.put(
                                row.getString("column_name"),
                                new Real(
                                        row.getString("data_type").toLowerCase(Locale.ROOT),
                                        row.getString("is_nullable").equals("YES"),
                                        standard(row.getString("column_default")),
                                        row.getObject("character_maximum_length") == null
                                                ? null
                                                : row.getInt("character_maximum_length"))))
                        .list());
        return columns;
    }

    /** A default as a value is written; null for none, and for the time of the insertion. */
    private static @Nullable String standard(@Nullable String sql) {
        if (sql == null || sql.equals("CURRENT_TIMESTAMP")) {
            return null;
        }
        String value = sql.replaceFirst("::.*$", "");
        return value.startsWith("'") ? value.substring(1, value.length() - 1) : value.toLowerCase(Locale.ROOT);
    }
}
