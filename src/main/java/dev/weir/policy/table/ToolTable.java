package dev.weir.policy.table;

import dev.weir.auth.Role;
import java.util.List;

/** Table {@code tool}. */
final class ToolTable {

    static final Values KIND = Values.oneOf("tool", "method");

    static final Table TABLE = Table.of(
                    "tool",
                    "tools",
                    "Tools",
                    "A registered tool of a route, with its tier; or another method (prompts/get, say) that is given one.",
                    List.of(
                            Column.key("route", Values.text(255), "The route that the tool is called on.")
                                    .of("route.prefix"),
                            Column.key(
                                            "kind",
                                            KIND,
                                            "tool: a tool, called by tools/call. method: any other method that does work.")
                                    .or("tool"),
                            Column.key(
                                    "name", Values.name(255), "The name, exactly as agents call it; or the method's."),
                            Column.needed(
                                            "tier",
                                            Values.text(64),
                                            "The limit that each client has on this tool.",
                                            "Holds from the next call on. Clients keep the tokens that they have, cut to the new tier's burst.")
                                    .of("tool_tier.name"),
                            Column.with(
                                            1L,
                                            "cost",
                                            Values.whole(1, Integer.MAX_VALUE),
                                            "Tokens that one call costs at the tool's own bucket; at the wider limits every call costs 1.",
                                            "Holds from the next call on. More than the tier's burst is not taken, because nobody could ever call the tool.")
                                    .in("tokens"),
                            Column.with(
                                    "all",
                                    "access",
                                    Values.oneOf("all", "listed"),
                                    "all: every client that may use the route. listed: only those with a row in client_tool.",
                                    "With listed, other clients are refused, and no longer see the tool in lists."),
                            Column.with(
                                    "",
                                    "scopes",
                                    RouteAccess.SCOPES,
                                    "Scopes that a caller has to have beside those of the route, separated by spaces.",
                                    "Callers that lack one are refused from the next call on, and told which they need."),
                            Column.with(
                                    true,
                                    "enabled",
                                    Values.flag(),
                                    "Whether the tool may be called at all.",
                                    "Without it, calls are refused as forbidden, which is no strike.")))
            .referring(
                    new Reference("tool_route_must_exist", List.of("route"), "route", true),
                    new Reference("tool_tier_must_exist", List.of("tier"), "tool_tier", false))
            .madeBy(Role.OPERATOR);

    private ToolTable() {}
}
