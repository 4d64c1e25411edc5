package dev.weir.policy;

import java.util.List;
import java.util.regex.Pattern;

/** What may be the public prefix of a route. */
final class RoutePrefix {

    private static final Pattern SEGMENTS = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

    /** What Weir serves itself, and so no route may cover. */
    private static final List<String> OWN = List.of("/admin", "/health", "/live", "/ready", "/metrics", "/.well-known");

    /** What stands in the addresses of messages of HTTP+SSE. */
    private static final String MESSAGES = "/~sse/";

    private RoutePrefix() {}

    /** @throws IllegalArgumentException naming the value and the rule */
    static String check(String prefix) {
        if (prefix.equals("/")) {
            return prefix;
        }
        if (!SEGMENTS.matcher(prefix).matches() || prefix.contains("/../") || prefix.endsWith("/..")) {
            throw new IllegalArgumentException(
                    "prefix must be / or whole segments such as /mcp or /team/mcp of letters,"
                            + " digits, dot, underscore, tilde and hyphen, not [" + prefix + "]");
        }
        if ((prefix + "/").contains(MESSAGES)) {
            throw new IllegalArgumentException("prefix must not have the segment ~sse, which Weir keeps for itself");
        }
        for (String own : OWN) {
            if (prefix.equals(own) || prefix.startsWith(own + "/")) {
                throw new IllegalArgumentException("prefix must not be " + own + ", which Weir serves itself");
            }
        }
        return prefix;
    }
}
