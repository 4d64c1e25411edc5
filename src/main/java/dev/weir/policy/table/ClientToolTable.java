package dev.weir.policy.table;

import java.util.List;

/** Table {@code client_tool}. */
final class ClientToolTable {

    static final Table TABLE = Table.of(
                    "client_tool",
                    "client-tools",
                    "Overrides",
                    "What one client gets on one tool: another tier than the tool's own, or no access.",
                    List.of(
                            Column.key("client", Values.text(64), "The client.").of("client.id"),
                            Column.key("route", Values.text(255), "The tool's route.")
                                    .of("tool.route"),
                            Column.key("kind", Values.text(16), "The tool's kind.")
                                    .or("tool")
                                    .of("tool.kind"),
                            Column.key("tool", Values.text(255), "The tool, which has to be registered.")
                                    .of("tool.name"),
                            Column.maybe(
                                            "tier",
                                            Values.text(64),
                                            "The client's own tier on this tool. Nothing: the tool's.",
                                            "Holds from the client's next call on. It keeps the tokens that it has, cut to the new burst.")
                                    .of("tool_tier.name"),
                            Column.with(
                                    true,
                                    "allowed",
                                    Values.flag(),
                                    "Whether the client may call the tool, whatever the tool's own access says.",
                                    "Without it, the client's calls are refused as forbidden, and the tool is not in its lists.")))
            .referring(
                    new Reference("client_tool_client_must_exist", List.of("client"), "client", true),
                    new Reference(
                            "client_tool_tool_must_be_registered", List.of("route", "kind", "tool"), "tool", true),
                    new Reference("client_tool_tier_must_exist", List.of("tier"), "tool_tier", false));

    private ClientToolTable() {}
}
