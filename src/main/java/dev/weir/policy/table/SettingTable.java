package dev.weir.policy.table;

import java.util.List;

/** Table {@code setting}. */
final class SettingTable {

    static final Table TABLE = Table.of(
            "setting",
            "settings",
            "Settings",
            "Whatever else may be changed while Weir runs. A row wins over the static setting of the same meaning; without one the standard holds.",
            List.of(
                    Column.key("name", Values.name(64), "The setting; only known ones are taken."),
                    Column.needed(
                            "content",
                            Values.text(1024),
                            "What it is set to, as text.",
                            "Each setting says what its change does.")));

    private SettingTable() {}
}
