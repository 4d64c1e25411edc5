package dev.weir.policy.table;

import dev.weir.auth.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table of the policy. Immutable.
 *
 * @param name       in the database
 * @param path       what it is called in addresses
 * @param title      what it is called before people
 * @param meaning    what its rows say, for people
 * @param creator    the least role that may make a row; changing one always takes {@link Role#ADMIN}
 * @param columns    in their order; those of the key in the order that names rows
 * @param rules      what columns of a row must be to each other
 * @param references what has to be there for a row
 */
public record Table(
        String name,
        String path,
        String title,
        String meaning,
        Role creator,
        List<Column> columns,
        List<Rule> rules,
        List<Reference> references) {

    /**
     * What is wrong with one value of a row.
     *
     * @param column where it stands
     * @param rule   what it breaks, as a sentence that begins after the column's name
     */
    public record Fault(String column, String rule) {}

    /** Keeps the lists as they are now. */
    public Table {
        columns = List.copyOf(columns);
        rules = List.copyOf(rules);
        references = List.copyOf(references);
    }

    /** One whose rows only admins make. */
    static Table of(String name, String path, String title, String meaning, List<Column> columns) {
        return new Table(name, path, title, meaning, Role.ADMIN, columns, List.of(), List.of());
    }

    Table under(Rule... more) {
        return new Table(name, path, title, meaning, creator, columns, List.of(more), references);
    }

    Table referring(Reference... more) {
        return new Table(name, path, title, meaning, creator, columns, rules, List.of(more));
    }

    Table madeBy(Role role) {
        return new Table(name, path, title, meaning, role, columns, rules, references);
    }

    /** The columns that name a row, in their order. */
    public List<Column> key() {
        return columns.stream().filter(Column::key).toList();
    }

    /** The column of a name; null if there is none. */
    public @Nullable Column column(String column) {
        return columns.stream()
                .filter(one -> one.name().equals(column))
                .findFirst()
                .orElse(null);
    }

    /** A new row: what was said, and the standards of the rest. Columns that the database fills are left out if nothing is said. */
    public Map<String, @Nullable Object> complete(Map<String, @Nullable Object> said) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        for (Column column : columns) {
            if (said.containsKey(column.name())) {
                row.put(column.name(), said.get(column.name()));
            } else if (column.place() != Column.Place.MADE) {
                row.put(column.name(), column.standard());
            }
        }
        return row;
    }

    /** What is wrong with a row; empty if nothing is, as far as that can be seen from the row alone. */
    public List<Fault> faults(Map<String, @Nullable Object> row) {
        List<Fault> faults = new ArrayList<>();
        row.forEach((name, value) -> {
            Column column = column(name);
            String fault = column == null ? "is no column of " + this.name : column.fault(value);
            if (fault != null) {
                faults.add(new Fault(name, fault));
            }
        });
        if (faults.isEmpty()) {
            for (Rule rule : rules) {
                if (!rule.holds().test(row)) {
                    faults.add(new Fault(rule.column(), rule.words()));
                }
            }
        }
        return faults;
    }
}
