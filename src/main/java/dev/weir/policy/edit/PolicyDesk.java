package dev.weir.policy.edit;

import dev.weir.policy.table.Table;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where rows of the policy are looked at and changed by hand. Waits for the store. Must be safe for use by many threads. */
public interface PolicyDesk {

    /**
     * Rows in the order of their keys.
     *
     * @param columns what they have in common; empty for all rows
     * @param after   the key that they come after; null from the first on
     * @param limit   the most
     */
    List<TableRow> list(Table table, Map<String, Object> columns, @Nullable List<Object> after, int limit);

    /** The row of a key; null if there is none. */
    @Nullable
    TableRow find(Table table, List<Object> key);

    /**
     * Makes changes in one transaction, one after the other, all or none. They may mend a policy that is not usable, also bit by
     * bit, but not make one unusable.
     *
     * @param operator what they are written down under
     * @return the rows as they are then; null for each that is gone
     * @throws EditRefusedException if they are not made
     */
    List<@Nullable TableRow> edit(String operator, List<Change> changes) throws EditRefusedException;
}
