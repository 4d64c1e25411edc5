package dev.weir.mcp;

import java.util.List;

/**
 * The members that a decision goes by, and the spellings that some parsers take for them: those of the Go language match
 * names without regard to case, and others end a name at its first NUL. A body that holds such a spelling means one call to
 * Weir and may mean another one to the upstream.
 *
 * @see <a href="https://nvd.nist.gov/vuln/detail/CVE-2026-27896">CVE-2026-27896: an MCP server that ignored case</a>
 */
final class MemberNames {

    /** The members of a JSON-RPC message. */
    static final MemberNames OF_MESSAGE =
            new MemberNames(List.of("jsonrpc", "id", "method", "params", "result", "error"));

    /** The members of {@code params} that say what a method is applied to, and how. */
    static final MemberNames OF_PARAMS = new MemberNames(List.of("name", "uri", "taskId", "arguments", "_meta"));

    private final List<String> names;

    private MemberNames(List<String> names) {
        this.names = names;
    }

    /** Whether a name is none of these, but could be taken for one of them. */
    boolean isLookalike(String name) {
        int nul = name.indexOf('\0');
        String start = nul < 0 ? name : name.substring(0, nul);
        for (String known : names) {
            // This comparison knows the two letters beyond ASCII that fold to ASCII ones.
            if (start.equalsIgnoreCase(known)) {
                return !name.equals(known);
            }
        }
        return false;
    }
}
