package dev.weir.admin;

import dev.weir.policy.table.Column;
import dev.weir.policy.table.Table;
import dev.weir.rest.Problem;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the values of a row out of what was sent, and says everything that is wrong with them. For one thread. */
final class RowReader {

    /** The most characters of a value that an answer repeats. */
    private static final int MOST_SHOWN = 100;

    private final Table table;

    /** What stands before the names of columns where one is told of. */
    private final String prefix;

    private final List<Problem.Fault> faults = new ArrayList<>();

    RowReader(Table table, String prefix) {
        this.table = table;
        this.prefix = prefix;
    }

    /**
     * All values of a new row, with the standards of what was not said.
     *
     * @throws Problem 422 naming each value and the rule that it breaks
     */
    Map<String, @Nullable Object> create(JsonNode sent) throws Problem {
        Map<String, @Nullable Object> said = read(sent, Column::givenAtFirst);
        for (Column column : table.columns()) {
            if (column.required() && !sent.has(column.name())) {
                faults.add(new Problem.Fault(prefix + column.name(), null, "is missing"));
            }
        }
        stop();
        Map<String, @Nullable Object> row = table.complete(said);
        for (Table.Fault fault : table.faults(row)) {
            add(fault.column(), sent.get(fault.column()), fault.rule());
        }
        stop();
        return row;
    }

    /** The values that a row is to have instead of those that it has. */
    Map<String, @Nullable Object> change(JsonNode sent) throws Problem {
        Map<String, @Nullable Object> said = read(sent, Column::changeable);
        stop();
        return said;
    }

    /** The values that name a row. */
    List<Object> key(JsonNode sent) throws Problem {
        Map<String, @Nullable Object> said = read(sent, Column::key);
        List<Object> key = new ArrayList<>();
        for (Column column : table.key()) {
            Object value = said.containsKey(column.name()) ? said.get(column.name()) : column.standard();
            if (value != null) {
                key.add(value);
            } else if (!sent.has(column.name())) {
                faults.add(new Problem.Fault(prefix + column.name(), null, "is missing"));
            }
        }
        stop();
        return key;
    }

    private Map<String, @Nullable Object> read(JsonNode sent, Predicate<Column> may) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        sent.properties().forEach(member -> {
            Column column = table.column(member.getKey());
            JsonNode value = member.getValue();
            if (column == null) {
                add(member.getKey(), null, "is no column of " + table.name());
            } else if (!may.test(column)) {
                add(column.name(), value, "cannot be set here");
            } else {
                Object read = value.isNull() ? null : value(column, value);
                boolean typed = value.isNull() || read != null;
                String rule = typed ? column.fault(read) : type(column);
                if (rule != null) {
                    add(column.name(), value, rule);
                }
                values.put(column.name(), read);
            }
        });
        return values;
    }

    private void add(String column, @Nullable JsonNode value, String rule) {
        faults.add(new Problem.Fault(prefix + column, shown(table.column(column), value), rule));
    }

    private void stop() throws Problem {
        if (!faults.isEmpty()) {
            throw Problem.faulty(422, "not_valid", faults);
        }
    }

    /** A value as answers repeat it: not a secret, and not at length. */
    static @Nullable String shown(@Nullable Column column, @Nullable JsonNode value) {
        if (value == null || (column != null && column.secret())) {
            return null;
        }
        String text = value.isString() ? value.asString() : value.toString();
        return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN - 1) + "…";
    }

    /** Null if it is of another type. */
    private static @Nullable Object value(Column column, JsonNode node) {
        try {
            return switch (column.values().type()) {
                case TEXT -> node.isString() ? node.asString() : null;
                case FLAG -> node.isBoolean() ? node.booleanValue() : null;
                case WHOLE -> node.isNumber() ? (Long) node.decimalValue().longValueExact() : null;
                case NUMBER -> node.isNumber() ? number(node) : null;
                case TIME ->
                    node.isString()
                            ? OffsetDateTime.parse(node.asString()).toInstant().truncatedTo(ChronoUnit.MICROS)
                            : null;
            };
        } catch (ArithmeticException
                | NumberFormatException
                | DateTimeException
                | tools.jackson.core.JacksonException e) {
            return null;
        }
    }

    private static BigDecimal number(JsonNode node) {
        return node.decimalValue();
    }

    private static String type(Column column) {
        return switch (column.values().type()) {
            case TEXT -> "must be text";
            case FLAG -> "must be true or false";
            case WHOLE -> "must be a whole number of at most 18 digits";
            case NUMBER -> "must be a number";
            case TIME -> "must be an instant such as 2026-12-01T06:30:00Z";
        };
    }
}
