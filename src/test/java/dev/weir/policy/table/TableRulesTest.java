package dev.weir.policy.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the database refuses is refused before it is asked, with the column's name and a rule in words. */
class TableRulesTest {

    private static final Pattern INSERT = Pattern.compile("INSERT INTO (\\w+) \\(([^)]*)\\) VALUES \\((.*)\\)");
    private static final Pattern UPDATE = Pattern.compile("UPDATE (\\w+) SET (.*)");
    private static final Pattern LITERAL =
            Pattern.compile("REPEAT\\('(.)', (\\d+)\\)|TIMESTAMP '([^']*)'|'([^']*)'|(-?[0-9.]+)");

    /** Rows that are good, for what is updated, and for columns that an insertion leaves out. */
    private static final Map<String, Map<String, Object>> GOOD = Map.of(
            "tool_tier", Map.of("name", "x", "rate_per_second", BigDecimal.ONE, "burst", 1L),
            "route", Map.of("prefix", "/mcp", "upstream_url", "http://h"),
            "tool", Map.of("route", "/mcp", "name", "known", "tier", "heavy"),
            "client", Map.of("id", "a", "name", "A"),
            "client_key",
                    Map.of(
                            "sha256",
                            "a".repeat(64),
                            "client",
                            "a",
                            "created_at",
                            Instant.EPOCH.plusSeconds(1_700_000_000)));

    @ParameterizedTest(name = "{0}")
    @MethodSource("statementsThatBreakRulesOfThePolicy")
    void aStatementThatBreaksARuleWouldNotBeSent(String constraint, String statement) {
        Matcher insert = INSERT.matcher(statement);
        Matcher update = UPDATE.matcher(statement);
        boolean inserts = insert.matches();
        assertThat(inserts || update.matches()).isTrue();
        String name = inserts ? insert.group(1) : update.group(1);
        Table table = Tables.named(name);
        Map<String, @Nullable Object> row =
                new LinkedHashMap<>(table.complete(new LinkedHashMap<>(GOOD.getOrDefault(name, Map.of()))));
        List<String> columns = new ArrayList<>();
        if (inserts) {
            columns.addAll(List.of(insert.group(2).split(", ", -1)));
        } else {
            for (String pair : update.group(2).split(", ", -1)) {
                columns.add(pair.split(" = ", -1)[0]);
            }
        }
        Matcher literal = LITERAL.matcher(inserts ? insert.group(3) : update.group(2));
        for (String column : columns) {
            assertThat(literal.find()).isTrue();
            row.put(column, value(Objects.requireNonNull(table.column(column)), literal));
        }
        if (table.references().stream()
                .anyMatch(reference -> reference.constraint().equals(constraint))) {
            assertThat(table.faults(row)).isEmpty();
        } else {
            assertThat(table.faults(row)).isNotEmpty().allSatisfy(fault -> {
                assertThat(table.column(fault.column())).isNotNull();
                assertThat(fault.rule()).startsWith("must ");
            });
        }
    }

    /** Those of the file that are about tables of the policy; the others are nobody's to edit here. */
    static List<Arguments> statementsThatBreakRulesOfThePolicy() throws IOException {
        List<Arguments> all = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("src/test/resources/dev/weir/store/constraints.csv"))) {
            List<String> cells = Stream.of(line.split("\\|", 2))
                    .map(String::strip)
                    .map(cell -> cell.replaceAll("^`|`$", ""))
                    .toList();
            boolean ofThePolicy = cells.size() == 2
                    && Tables.ALL.stream()
                            .anyMatch(table -> cells.get(1).matches("(INSERT INTO|UPDATE) " + table.name() + "\\b.*"));
            if (ofThePolicy) {
                all.add(Arguments.of(cells.get(0), cells.get(1)));
            }
        }
        assertThat(all).hasSizeGreaterThan(Tables.ALL.size());
        return all;
    }

    private static Object value(Column column, Matcher literal) {
        String text = literal.group(1) != null
                ? literal.group(1).repeat(Integer.parseInt(literal.group(2)))
                : literal.group(3) != null
                        ? literal.group(3).replace(' ', 'T') + "Z"
                        : literal.group(4) != null ? literal.group(4) : literal.group(5);
        return switch (column.values().type()) {
            case TEXT -> text;
            case WHOLE -> Long.valueOf(text);
            case NUMBER -> new BigDecimal(text);
            case TIME -> Instant.parse(text);
            case FLAG -> Boolean.valueOf(text);
        };
    }

    @Test
    void goodRowsAreTaken() {
        GOOD.forEach((name, row) -> {
            Table table = Tables.named(name);
            assertThat(table.faults(table.complete(new LinkedHashMap<>(row))))
                    .as(name)
                    .isEmpty();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "0.000001,",
        "0.0000001, must have at most 6 digits after the point",
        "1e-400, must have at most 6 digits after the point",
        "1000000,",
        "1000000.000001, must be at most 1000000",
        "1e999999999, must be at most 1000000",
        "-1e-9, must be at least 0"
    })
    void aRateIsWhatTheColumnKeepsExactly(String rate, @Nullable String rule) {
        Column column = Objects.requireNonNull(Tables.named("tool_tier").column("rate_per_second"));
        assertThat(column.fault(new BigDecimal(rate))).isEqualTo(rule);
    }

    @Test
    void textThatNoDatabaseStoresIsRefusedAndLengthIsThatOfTheStricterOne() {
        Column name = Objects.requireNonNull(Tables.named("tool").column("name"));
        assertThat(name.fault("a\0b")).contains("NUL");
        assertThat(name.fault("\ud800")).contains("surrogate");
        assertThat(name.fault("\ud83d\ude00".repeat(127))).isNull();
        assertThat(name.fault("\ud83d\ude00".repeat(128))).contains("at most 255");
        assertThat(name.fault(null)).isEqualTo("must not be null");
    }

    @Test
    void peopleAreToldWhatEveryColumnMeansAndWhatItsChangeDoes() {
        for (Table table : Tables.ALL) {
            assertThat(table.meaning()).as(table.name()).endsWith(".");
            for (Column column : table.columns()) {
                assertThat(column.meaning())
                        .as(table.name() + "." + column.name())
                        .endsWith(".");
                if (column.changeable()) {
                    assertThat(column.effect())
                            .as(table.name() + "." + column.name())
                            .endsWith(".");
                }
                if (column.values().type() == Values.Type.WHOLE
                        || column.values().type() == Values.Type.NUMBER) {
                    assertThat(column.unit())
                            .as(table.name() + "." + column.name())
                            .isNotEmpty();
                }
                String other = column.refersTo();
                if (other != null) {
                    String[] names = other.split("\\.", -1);
                    assertThat(Tables.named(names[0]).column(names[1]))
                            .as(other)
                            .isNotNull();
                }
            }
        }
        Settings.ALL.forEach(setting -> assertThat(List.of(setting.meaning(), setting.effect()))
                .as(setting.name())
                .allMatch(text -> text.endsWith(".")));
    }
}
