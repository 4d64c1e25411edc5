package dev.weir.policy.table;

import java.util.List;

/** Table {@code client_route}. */
final class ClientRouteTable {

    static final Table TABLE = Table.of(
                    "client_route",
                    "client-routes",
                    "Routes of clients",
                    "Says whether one client may use one route, whatever the route's own access says.",
                    List.of(
                            Column.key("client", Values.text(64), "The client.").of("client.id"),
                            Column.key("route", Values.text(255), "The route.").of("route.prefix"),
                            Column.with(
                                    true,
                                    "allowed",
                                    Values.flag(),
                                    "Whether the client may use the route.",
                                    "Without it, the client gets 403 on the route from the next request on."),
                            Column.with(
                                    "all",
                                    "tools",
                                    Values.oneOf("all", "listed"),
                                    "all: all tools of the route. listed: only those for which the client has a row in client_tool.",
                                    "With listed, other tools are refused to the client, and not in its lists.")))
            .referring(
                    new Reference("client_route_client_must_exist", List.of("client"), "client", true),
                    new Reference("client_route_route_must_exist", List.of("route"), "route", true));

    private ClientRouteTable() {}
}
