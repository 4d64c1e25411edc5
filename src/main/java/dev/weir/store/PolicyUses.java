package dev.weir.store;

import dev.weir.policy.edit.TableRow;
import dev.weir.policy.table.Reference;
import dev.weir.policy.table.Table;
import dev.weir.policy.table.Tables;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Who keeps a row from going. */
final class PolicyUses {

    /** The most that are named. */
    private static final int MOST = 3;

    private PolicyUses() {}

    /** The rows that refer to one and would not go with it, in words; null if there are none. */
    static @Nullable String of(Handle handle, Table table, List<Object> key) {
        List<String> users = new ArrayList<>();
        for (Table other : Tables.ALL) {
            for (Reference reference : other.references()) {
                if (!reference.cascades() && reference.table().equals(table.name())) {
                    Map<String, Object> columns = new LinkedHashMap<>();
                    for (int i = 0; i < key.size(); i++) {
                        columns.put(reference.columns().get(i), key.get(i));
                    }
                    for (TableRow row : PolicySql.list(handle, other, columns, null, MOST + 1)) {
                        users.add(label(row));
                    }
                }
            }
        }
        if (users.isEmpty()) {
            return null;
        }
        return String.join(", ", users.subList(0, Math.min(MOST, users.size())))
                + (users.size() > MOST ? " and others" : "");
    }

    private static String label(TableRow row) {
        return row.table().name() + " ["
                + String.join(" ", row.key().stream().map(String::valueOf).toList()) + "]";
    }
}
