package dev.weir.policy.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Table {@code route}, whose many columns come from several files. */
final class RouteTable {

    private static final Values.Form PREFIX =
            Values.Form.of("^(/|/.*[^/])$", "must begin with a slash, and end with one only if it is nothing else");

    static final Values.Form URL =
            Values.Form.of("^https?://.", "must be an address that begins with http:// or https://");

    static final Table TABLE = Table.of(
                    "route", "routes", "Routes", "A route is a public path and the server behind it.", columns())
            .under(rules());

    private RouteTable() {}

    private static List<Column> columns() {
        List<Column> columns = new ArrayList<>(
                List.of(
                        Column.key(
                                "prefix",
                                Values.text(255).like(PREFIX),
                                "The public path, whole segments: /mcp serves /mcp and all below it. The longest that fits wins."),
                        Column.with(
                                "mcp",
                                "kind",
                                Values.oneOf("mcp", "http"),
                                "mcp: messages are read and judged by tool. http: any server; requests are judged by client and route only.",
                                "With http no tool has a tier, no throttle is a strike, and bodies pass unread."),
                        Column.needed(
                                "upstream_url",
                                Values.text(2048).like(URL),
                                "Where the route goes: http(s)://host[:port][/path].",
                                "New calls go to the new address. Calls and streams under way stay where they are; sessions of the old server are not known to the new one.")));
        columns.addAll(limits());
        columns.addAll(RouteWay.columns());
        columns.addAll(RouteHealth.columns());
        columns.addAll(RouteCircuit.columns());
        columns.addAll(RouteAccess.columns());
        columns.add(Column.with(
                true,
                "enabled",
                Values.flag(),
                "Whether the route is there at all.",
                "Without it, calls of the path get 404 from now on, or go to a route with a shorter prefix."));
        return columns;
    }

    private static List<Column> limits() {
        return List.of(
                Column.maybe(
                                "rate_per_second",
                                Values.number(0, LimitRules.MAX_RATE),
                                "Requests that come back in a second for the whole route, all clients together. Nothing: no such limit. 0 blocks.",
                                "Holds from the next request on.")
                        .in("requests/s"),
                Column.maybe(
                                "burst",
                                Values.whole(0, Values.GREATEST),
                                "Requests that may come at once on the whole route. Goes together with rate_per_second.",
                                "Holds from the next request on.")
                        .in("requests"),
                Column.maybe(
                        "refusal_form",
                        Values.oneOf("auto", "jsonrpc_error", "tool_result", "http_429"),
                        "How agents are told that they are refused. Nothing: as the setting refusal_form says.",
                        "Agents see refusals in the new form from now on. What their SDKs make of it is in docs/clients.md."),
                Column.with(
                        "refuse",
                        "batch",
                        Values.oneOf("refuse", "judge"),
                        "Whether arrays of messages are refused, or judged message by message (only protocol 2025-03-26 has them).",
                        "With judge, clients of that protocol may send up to 100 messages at once."));
    }

    private static Rule[] rules() {
        List<Rule> rules = new ArrayList<>(List.of(LimitRules.of("route")));
        rules.add(new Rule(
                "route_rate_and_burst_go_together",
                "burst",
                "must be set if rate_per_second is, and not if it is not",
                row -> (row.get("rate_per_second") == null) == (row.get("burst") == null)));
        rules.add(new Rule(
                "route_identity_secret_goes_with_signed",
                "identity_secret",
                "must be set if identity is signed, and not if it is not",
                RouteTable::secretGoesWithSigned));
        return rules.toArray(Rule[]::new);
    }

    private static boolean secretGoesWithSigned(Map<String, @Nullable Object> row) {
        return Objects.equals(row.get("identity"), "signed") == (row.get("identity_secret") != null);
    }
}
