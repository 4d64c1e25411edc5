package dev.weir.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What browsers are told that ask whether a page may send a request: requests that carry no credential and are nobody's call.
 * Pages of public networks that ask for a private one are not given leave. Immutable.
 *
 * @see <a href="https://fetch.spec.whatwg.org/#cors-preflight-fetch">Fetch: CORS-preflight fetch</a>
 */
public final class Preflights {

    private static final String REQUESTED_METHOD = "Access-Control-Request-Method";
    private static final String REQUESTED_HEADERS = "Access-Control-Request-Headers";

    private static final Set<String> ALWAYS = Set.of(
            "accept",
            "authorization",
            "content-type",
            "last-event-id",
            "mcp-method",
            "mcp-name",
            "mcp-protocol-version",
            "mcp-session-id",
            "traceparent",
            "tracestate",
            "x-api-key",
            "x-request-id");

    private static final Pattern FIELD = Pattern.compile("[a-z0-9!#$%&'+.^_`|~-]+");
    private static final Pattern MIRRORED = Pattern.compile("mcp-param-[a-z0-9-]{1,100}");

    /** More than any page asks for. */
    private static final int MOST = 50;

    private final Set<String> allowed = new TreeSet<>(ALWAYS);

    /**
     * @param more names of fields that pages may send beside those of MCP
     * @throws IllegalArgumentException with a name that is none
     */
    public Preflights(Collection<String> more) {
        for (String name : more) {
            String folded = name.toLowerCase(Locale.ROOT);
            if (!FIELD.matcher(folded).matches()) {
                throw new IllegalArgumentException("must be names of header fields, and [" + name + "] is none");
            }
            allowed.add(folded);
        }
    }

    /** Whether a request of a page is one; any other OPTIONS is a request like all others. */
    static boolean isOne(HttpServletRequest request) {
        return request.getMethod().equals("OPTIONS") && request.getHeader(REQUESTED_METHOD) != null;
    }

    void answer(HttpServletRequest request, HttpServletResponse response) {
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
        response.addHeader("Vary", REQUESTED_HEADERS);
        // A route of MCP has the first three of them, and says so by itself.
        response.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE, PUT, PATCH, HEAD");
        response.setHeader("Access-Control-Allow-Headers", String.join(", ", allowed(request)));
        response.setHeader("Access-Control-Max-Age", "600");
    }

    private Set<String> allowed(HttpServletRequest request) {
        Set<String> names = new TreeSet<>(allowed);
        for (String line : Collections.list(request.getHeaders(REQUESTED_HEADERS))) {
            for (String name : List.of(line.toLowerCase(Locale.ROOT).split("[,\\s]+", MOST))) {
                // CORS knows no prefixes, so the fields that mirror a tool's parameters are allowed as they are asked
                // for.
                if (MIRRORED.matcher(name).matches() && names.size() < allowed.size() + MOST) {
                    names.add(name);
                }
            }
        }
        return names;
    }
}
