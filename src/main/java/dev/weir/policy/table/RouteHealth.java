package dev.weir.policy.table;

import java.util.List;

/** The columns of table {@code route} about how its targets are asked whether they are well. */
final class RouteHealth {

    private RouteHealth() {}

    static List<Column> columns() {
        return List.of(
                Column.with(
                        "off",
                        "health_check",
                        Values.oneOf("off", "mcp", "http"),
                        "Whether targets are asked in the background if they are well: as MCP servers, or by a plain GET.",
                        "With off, only failing calls take a target out."),
                Column.with(
                        "",
                        "health_check_path",
                        Values.text(2048).like(Values.Form.of("^($|/)", "must begin with a slash, or be empty")),
                        "What is asked for. Empty: the upstream's own path.",
                        "The next check asks for it. If it is wrong, all targets may be taken for ill; calls go to the first then."),
                Column.with(
                                10L,
                                "health_check_seconds",
                                Values.whole(1, 3_600),
                                "The pause between two checks of one target.",
                                "Shorter: an ill target is left sooner, and each node asks more often.")
                        .in("s"));
    }
}
