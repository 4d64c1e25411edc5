package dev.weir.mcp;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The header fields in which a message of the modern era says once more what its body says. Whoever is in between may go by
 * them, so a request in which the two disagree means two things and is refused. In the legacy era they mean nothing, but a
 * legacy body must not be labelled as a modern one, because some servers go by the label.
 *
 * @see <a href="https://modelcontextprotocol.io/specification">MCP 2026-07-28, Streamable HTTP, request metadata</a>
 */
public final class MirroredHeaders {

    /** MCP 2026-07-28: header and body disagree. */
    public static final int HEADER_MISMATCH = -32020;

    /** JSON-RPC 2.0: a parameter that the method needs is missing. */
    public static final int INVALID_PARAMS = -32602;

    private static final String VERSION = McpHeaders.PROTOCOL_VERSION;
    private static final String METHOD = "Mcp-Method";
    private static final String NAME = "Mcp-Name";

    private static final String ENCODED_START = "=?base64?";
    private static final String ENCODED_END = "?=";

    private MirroredHeaders() {}

    /**
     * Compares the header fields of a request with its message.
     *
     * @param values every value of the header field of a name, in whatever case
     * @return the message, in the era that body and header fields together tell; or what disagrees
     */
    public static Reading checked(Reading.Read read, Function<String, List<String>> values) {
        McpMessage message = read.message();
        List<String> versions = values.apply(VERSION);
        if (versions.size() > 1) {
            return mismatch(VERSION, "params._meta", message);
        }
        if (message.era() == Era.MODERN) {
            return agreed(read, versions, values);
        }
        String header = versions.isEmpty() ? null : versions.get(0);
        if (Era.of(header) == Era.LEGACY) {
            return read;
        }
        if (read.revision() == null && message.kind() == McpMessage.Kind.NOTIFICATION) {
            // A notification need not name its revision, so here the header field alone tells.
            return agreed(new Reading.Read(message.in(Era.MODERN), header, read.trace()), versions, values);
        }
        if (read.revision() == null
                && message.kind() == McpMessage.Kind.REQUEST
                && !"initialize".equals(message.method())) {
            return new Reading.Unreadable(
                    400,
                    INVALID_PARAMS,
                    "params._meta must name the protocol version that the header names.",
                    message.id());
        }
        return mismatch(VERSION, "params._meta", message);
    }

    private static Reading agreed(Reading.Read read, List<String> versions, Function<String, List<String>> values) {
        McpMessage message = read.message();
        // Official clients label their requests, and of their notifications only some, and those in part.
        boolean optional = message.kind() != McpMessage.Kind.REQUEST;
        if (!agrees(versions, read.revision(), optional)) {
            return mismatch(VERSION, "params._meta", message);
        }
        if (!agrees(values.apply(METHOD), message.method(), optional)) {
            return mismatch(METHOD, "method", message);
        }
        if (!agrees(values.apply(NAME), message.name(), optional)) {
            return mismatch(NAME, "params", message);
        }
        return read;
    }

    /** Whether a field stands there once and says what is expected; where nothing is, it must not stand there at all. */
    private static boolean agrees(List<String> values, @Nullable String expected, boolean optional) {
        if (values.isEmpty()) {
            return optional || expected == null;
        }
        return values.size() == 1 && expected != null && expected.equals(decoded(values.get(0)));
    }

    /** What a value stands for; null if it is not written as it should be, so that it agrees with nothing. */
    private static @Nullable String decoded(String sent) {
        String value = withoutEdges(sent);
        if (!value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c <= '~'))) {
            return null;
        }
        if (!value.startsWith(ENCODED_START)
                || !value.endsWith(ENCODED_END)
                || value.length() < ENCODED_START.length() + ENCODED_END.length()) {
            return value;
        }
        String base64 = value.substring(ENCODED_START.length(), value.length() - ENCODED_END.length());
        try {
            byte[] bytes = Base64.getDecoder().decode(base64);
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            // Only one spelling of each text, so that nobody reads another one out of it.
            return Base64.getEncoder().encodeToString(bytes).equals(base64) ? text : null;
        } catch (IllegalArgumentException | CharacterCodingException e) {
            return null;
        }
    }

    /** A value without the blanks and tabs around it, which are no part of it; nothing else is taken away. */
    private static String withoutEdges(String value) {
        int from = 0;
        int to = value.length();
        while (from < to && isBlank(value.charAt(from))) {
            from++;
        }
        while (from < to && isBlank(value.charAt(to - 1))) {
            to--;
        }
        return value.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private static Reading.Unreadable mismatch(String header, String member, McpMessage message) {
        return new Reading.Unreadable(
                400,
                HEADER_MISMATCH,
                "Header " + header + " must be given once and agree with " + member + ".",
                message.id());
    }
}
