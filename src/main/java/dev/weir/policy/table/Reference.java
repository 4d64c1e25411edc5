package dev.weir.policy.table;

import java.util.List;

/**
 * Columns that repeat the key of a row of another table, which has to be there.
 *
 * @param constraint its name in the database
 * @param columns    in the order of the other table's key
 * @param table      the other table
 * @param cascades   whether rows go with the row that they refer to; else they keep it from going
 */
public record Reference(String constraint, List<String> columns, String table, boolean cascades) {

    /** Keeps the columns as they are now. */
    public Reference {
        columns = List.copyOf(columns);
    }
}
