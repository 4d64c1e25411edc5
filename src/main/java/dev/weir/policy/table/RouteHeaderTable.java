package dev.weir.policy.table;

import java.util.List;

/** Table {@code route_header}. */
final class RouteHeaderTable {

    /** What belongs to one connection, frames the message, says what was judged, or is Weir's own. */
    private static final Values.Form NAME = Values.Form.of(
            "(?i)^(?!mcp-)(?!(?:connection|content-encoding|content-length|content-type|expect|host|http2-settings|keep-alive"
                    + "|proxy-authenticate|proxy-authentication-info|proxy-authorization|proxy-connection|te|trailer"
                    + "|transfer-encoding|upgrade|via|x-request-id|x-weir-client)$)[A-Za-z0-9-]+$",
            "must be letters, digits and hyphens, and none that Weir or HTTP itself needs");

    static final Table TABLE = Table.of(
                    "route_header",
                    "route-headers",
                    "Headers",
                    "A header that is put on every request to the servers of a route, in place of the client's of the same name: credentials, as a rule.",
                    List.of(
                            Column.key("route", Values.text(255), "The route whose servers get it.")
                                    .of("route.prefix"),
                            Column.key(
                                    "name",
                                    Values.text(128).like(NAME),
                                    "The header's name; not one that HTTP or Weir needs."),
                            Column.needed(
                                            "content",
                                            Values.name(4096),
                                            "What it says. ${secret.NAME} stands for the setting mcp.secrets.NAME, so that no secret has to be kept here; ${basic.NAME} for a user:password as HTTP's basic scheme writes it.",
                                            "Requests carry it from now on.")
                                    .hidden()))
            .referring(new Reference("route_header_route_must_exist", List.of("route"), "route", true));

    private RouteHeaderTable() {}
}
