package dev.weir.policy.table;

import java.util.List;

/** Table {@code route_target}. */
final class RouteTargetTable {

    static final Table TABLE = Table.of(
                    "route_target",
                    "route-targets",
                    "Targets",
                    "A target is a further server of a route, which does the same as its first. Each caller stays with one of them while that is well.",
                    List.of(
                            Column.key("route", Values.text(255), "The route that it serves.")
                                    .of("route.prefix"),
                            Column.key(
                                    "url",
                                    Values.text(2048).like(RouteTable.URL),
                                    "Its address: http(s)://host[:port][/path]. When it comes or goes, only its own share of callers moves."),
                            Column.with(
                                    true,
                                    "enabled",
                                    Values.flag(),
                                    "Whether calls go there.",
                                    "Without it, its callers go to their next target; calls under way and streams go on.")))
            .referring(new Reference("route_target_route_must_exist", List.of("route"), "route", true));

    private RouteTargetTable() {}
}
