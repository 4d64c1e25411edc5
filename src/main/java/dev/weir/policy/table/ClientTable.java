package dev.weir.policy.table;

import java.util.List;

/** Table {@code client}. */
final class ClientTable {

    static final Table TABLE = Table.of(
            "client",
            "clients",
            "Clients",
            "A client is a named consumer: an agent, a program, or an operator. It has keys or tokens, and its limits are counted under its name.",
            List.of(
                    Column.key("id", Values.name(64), "Its short name, in logs, limits and bans: client:ID."),
                    Column.needed("name", Values.name(255), "What people call it.", "Nothing but what people read."),
                    Column.with(
                            true,
                            "enabled",
                            Values.flag(),
                            "Whether it may call.",
                            "Without it, its keys are no good (401) and its tokens may do nothing (403), from the next request on."),
                    Column.with(
                            false,
                            "exempt",
                            Values.flag(),
                            "Whether it is never limited and never banned. Permissions hold all the same.",
                            "With it, nothing stops a runaway loop of this client; bans that it has hold no longer."),
                    Column.with(
                            "",
                            "scopes",
                            RouteAccess.SCOPES,
                            "What its keys are good for, separated by spaces. A token brings its own scopes.",
                            "Routes and tools that ask for a scope open or close for its keys."),
                    Column.with(
                            "agent",
                            "role",
                            Values.oneOf("agent", "viewer", "operator", "admin"),
                            "What its keys open here: agent nothing, viewer looking, operator also bans and lifts, admin everything.",
                            "Its keys open more, or less, from the next request on.")));

    private ClientTable() {}
}
