package dev.weir.policy.table;

import java.util.List;

/** The columns of table {@code route} about who may call, and what the upstream is told of it. */
final class RouteAccess {

    /** As RFC 6749, 3.3, writes scopes. */
    static final Values SCOPES = Values.text(1024)
            .like(Values.Form.of(
                    "^($|[!#-Z^-~]+( [!#-Z^-~]+)*$)",
                    "must be words of ASCII without quotes, brackets or backslashes, with one space between them"));

    private RouteAccess() {}

    static List<Column> columns() {
        return List.of(
                Column.with(
                        "all",
                        "access",
                        Values.oneOf("all", "listed"),
                        "all: every client with a good credential may use the route. listed: only those with a row in client_route.",
                        "With listed, clients without a row get 403 from the next request on."),
                Column.with(
                        "",
                        "scopes",
                        SCOPES,
                        "Scopes that a caller has to have, all of them, separated by spaces. Empty: none.",
                        "Callers whose token or client lacks one are refused from the next request on."),
                Column.with(
                        "none",
                        "identity",
                        Values.oneOf("none", "plain", "signed"),
                        "Whether the server is told who calls, in X-Weir-Client: as a name, or as a token (JWT, HS256).",
                        "Requests carry, or no longer carry, the header from now on."),
                Column.maybe(
                        "identity_secret",
                        Values.name(64),
                        "For identity signed: the name of the setting mcp.secrets.NAME that is signed with, of 32 characters or more.",
                        "The server has to know the new secret before it can check who calls."));
    }
}
