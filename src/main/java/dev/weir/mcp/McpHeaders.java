package dev.weir.mcp;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the header fields of a POST must say, so that its body can mean only one thing. */
public final class McpHeaders {

    /** Names the revision that the rest of a conversation keeps to. */
    public static final String PROTOCOL_VERSION = "MCP-Protocol-Version";

    /** The one revision that had batches; and what is meant by a request that names none. */
    private static final String BATCHES = "2025-03-26";

    private McpHeaders() {}

    /**
     * Checks how the body is labelled: exactly one {@code Content-Type}, which is {@code application/json} in UTF-8, and no
     * coding.
     *
     * @param contentTypes     every value of {@code Content-Type}
     * @param contentEncodings every value of {@code Content-Encoding}
     * @return why the body cannot be read; null if it can
     */
    public static Reading.@Nullable Unreadable refusal(List<String> contentTypes, List<String> contentEncodings) {
        for (String encoding : contentEncodings) {
            if (!encoding.strip().equalsIgnoreCase("identity")) {
                return unsupported("Content-Encoding must be absent or identity");
            }
        }
        if (contentTypes.size() != 1 || !isJson(contentTypes.get(0))) {
            return unsupported("Content-Type must be application/json, with no charset or utf-8, and given once");
        }
        return null;
    }

    /**
     * Checks whether a batch of messages may be sent.
     *
     * @param taken    whether the route takes batches at all
     * @param versions every value of {@link #PROTOCOL_VERSION}
     * @return why it may not; null if it may
     * @see <a href="https://modelcontextprotocol.io/specification/2025-06-18/changelog">MCP 2025-06-18: batches are removed</a>
     */
    public static Reading.@Nullable Unreadable batchRefusal(boolean taken, List<String> versions) {
        if (!taken) {
            return Reading.Unreadable.invalid(
                    "Batches of messages are not accepted: send one message a request.", null);
        }
        return versions.isEmpty() || (versions.size() == 1 && versions.get(0).equals(BATCHES))
                ? null
                : Reading.Unreadable.invalid(
                        "Batches of messages are accepted in revision " + BATCHES + " only.", null);
    }

    private static boolean isJson(String contentType) {
        String[] parts = contentType.split(";", -1);
        boolean json = parts[0].strip().equalsIgnoreCase("application/json");
        int charsets = 0;
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
            if (parameter.startsWith("charset")) {
                charsets++;
                json &= parameter.equals("charset=utf-8") || parameter.equals("charset=\"utf-8\"");
            }
        }
        return json && charsets <= 1;
    }

    private static Reading.Unreadable unsupported(String reason) {
        return new Reading.Unreadable(415, Reading.Unreadable.INVALID_REQUEST, reason, null);
    }
}
