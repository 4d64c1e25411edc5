package dev.weir.policy.table;

import java.util.List;

/** All tables of the policy. */
public final class Tables {

    /** In the order in which people meet them. */
    public static final List<Table> ALL = List.of(
            TierTable.TABLE,
            RouteTable.TABLE,
            RouteTargetTable.TABLE,
            RouteHeaderTable.TABLE,
            ToolTable.TABLE,
            ClientTable.TABLE,
            ClientKeyTable.TABLE,
            ClientTokenTable.TABLE,
            ClientRouteTable.TABLE,
            ClientToolTable.TABLE,
            SettingTable.TABLE);

    private Tables() {}

    /**
     * The table of a name.
     *
     * @throws IllegalArgumentException if there is none; the message names those that there are
     */
    public static Table named(String name) {
        return ALL.stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("must be one of "
                        + String.join(", ", ALL.stream().map(Table::name).toList())));
    }
}
