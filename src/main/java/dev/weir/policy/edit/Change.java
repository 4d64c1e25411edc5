package dev.weir.policy.edit;

import dev.weir.policy.table.Table;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A change of one row. Immutable.
 *
 * @param key     what names the row, in the order of the table's key
 * @param values  by the names of the columns: all of a row that is made, or those that change; each is one that its column takes
 * @param matches whether the row, by its {@link TableRow#tag}, is still the one that was meant
 */
public record Change(
        Kind kind, Table table, List<Object> key, Map<String, @Nullable Object> values, Predicate<String> matches) {

    /** What is done to the row. */
    public enum Kind {
        CREATE,
        UPDATE,
        DELETE
    }

    /** Keeps the values as they are now. */
    public Change {
        key = List.copyOf(key);
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Makes a row. */
    public static Change create(Table table, Map<String, @Nullable Object> values) {
        TableRow row = new TableRow(table, values);
        return new Change(Kind.CREATE, table, row.key(), values, tag -> true);
    }

    /** Changes some columns of a row. */
    public static Change update(
            Table table, List<Object> key, Map<String, @Nullable Object> values, Predicate<String> matches) {
        return new Change(Kind.UPDATE, table, key, values, matches);
    }

    /** Takes a row away. */
    public static Change delete(Table table, List<Object> key, Predicate<String> matches) {
        return new Change(Kind.DELETE, table, key, Map.of(), matches);
    }

    /** What the row is called before people. */
    public String label() {
        return table.name() + " ["
                + String.join(" ", key.stream().map(String::valueOf).toList()) + "]";
    }
}
