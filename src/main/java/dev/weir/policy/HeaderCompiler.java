package dev.weir.policy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns the rows of {@code route_header} into headers. For one compilation by one thread. */
final class HeaderCompiler {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9-]+");
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{(?:(secret|basic)\\.([A-Za-z0-9_-]+)\\}|)");

    /** What a header may hold: a line break in a secret would be another header to the upstream. */
    private static final Pattern VALUE = Pattern.compile("[\\x21-\\x7e](?:[\\t\\x20-\\x7e]*[\\x21-\\x7e])?");

    /** What belongs to one connection, frames the message, says what was judged, or is Weir's own. */
    private static final Set<String> TAKEN = Set.of(
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "expect",
            "host",
            "http2-settings",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authentication-info",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "via",
            "x-request-id",
            "x-weir-client");

    private final List<PolicyRows.RouteHeader> rows;
    private final NamedSettings named;
    private final Problems problems;

    HeaderCompiler(List<PolicyRows.RouteHeader> rows, NamedSettings named, Problems problems) {
        this.rows = rows;
        this.named = named;
        this.problems = problems;
    }

    /** The headers of a route. */
    List<RouteHeader> of(String prefix) {
        List<RouteHeader> headers = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (PolicyRows.RouteHeader row : rows) {
            if (row.route().equals(prefix)) {
                RouteHeader header =
                        problems.check("route_header", row.route() + " " + row.name(), () -> header(row, names));
                if (header != null) {
                    headers.add(header);
                }
            }
        }
        return headers;
    }

    private RouteHeader header(PolicyRows.RouteHeader row, Set<String> names) {
        String key = row.name().toLowerCase(Locale.ROOT);
        if (!NAME.matcher(row.name()).matches()) {
            throw new IllegalArgumentException("name must be letters, digits and hyphens");
        }
        if (TAKEN.contains(key) || key.startsWith("mcp-")) {
            throw new IllegalArgumentException("name must not be one that Weir or HTTP itself needs, as this one is");
        }
        if (!names.add(key)) {
            throw new IllegalArgumentException("name must stand once for a route, in whatever letters");
        }
        return new RouteHeader(row.name(), value(row.content()));
    }

    private String value(String content) {
        StringBuilder value = new StringBuilder();
        Matcher references = REFERENCE.matcher(content);
        int from = 0;
        while (references.find()) {
            String name = references.group(2);
            if (name == null) {
                throw new IllegalArgumentException("content may have ${secret.NAME} or ${basic.NAME}, and no other ${");
            }
            String secret = named.secret(name);
            if (secret == null) {
                throw new IllegalArgumentException(
                        "content names the secret [" + name + "], and there is no setting mcp.secrets." + name);
            }
            value.append(content, from, references.start())
                    .append(references.group(1).equals("basic") ? basic(name, secret) : secret);
            from = references.end();
        }
        value.append(content, from, content.length());
        if (!VALUE.matcher(value).matches()) {
            // Not shown: it may hold a secret.
            throw new IllegalArgumentException(
                    "content, with its secrets, must be one line of ASCII without space at its ends");
        }
        return value.toString();
    }

    /**
     * @see <a href="https://www.rfc-editor.org/rfc/rfc7617#section-2">RFC 7617, 2: the basic scheme</a>
     */
    private static String basic(String name, String secret) {
        if (secret.indexOf(':') <= 0) {
            throw new IllegalArgumentException("content names [" + name + "] as basic, so the setting mcp.secrets."
                    + name + " must be user:password");
        }
        return Base64.getEncoder().encodeToString(secret.getBytes(StandardCharsets.UTF_8));
    }
}
