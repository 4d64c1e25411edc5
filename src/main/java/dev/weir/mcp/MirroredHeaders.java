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
 * them, so a request in which the two disagree means two things and is refused. In the legacy era they mean nothing.
 *
 * @see <a href="https://modelcontextprotocol.io/specification">MCP 2026-07-28, Streamable HTTP, request metadata</a>
 */
public final class MirroredHeaders {

    /** MCP 2026-07-28: header and body disagree. */
    public static final int HEADER_MISMATCH = -32020;

    private static final String ENCODED_START = "=?base64?";
    private static final String ENCODED_END = "?=";

    private MirroredHeaders() {}

    /**
     * Compares the header fields of a request with its message.
     *
     * @param values every value of the header field of a name, in whatever case
     * @return what disagrees; null if nothing does
     */
    public static Reading.@Nullable Unreadable disagreement(Reading.Read read, Function<String, List<String>> values) {
        McpMessage message = read.message();
        if (message.era() == Era.LEGACY || message.method() == null) {
            return null;
        }
        if (!isOnce(values.apply(McpHeaders.PROTOCOL_VERSION), read.revision())) {
            return mismatch(McpHeaders.PROTOCOL_VERSION, "params._meta", message);
        }
        if (!isOnce(values.apply("Mcp-Method"), message.method())) {
            return mismatch("Mcp-Method", "method", message);
        }
        String target = message.name();
        if (target != null && !isOnce(values.apply("Mcp-Name"), target)) {
            return mismatch("Mcp-Name", "params", message);
        }
        return null;
    }

    private static boolean isOnce(List<String> values, @Nullable String expected) {
        return values.size() == 1 && decoded(values.get(0).strip()).equals(expected);
    }

    /** What a value stands for; itself, if it is not encoded as it should be, which then equals nothing. */
    private static String decoded(String value) {
        boolean encoded = value.startsWith(ENCODED_START)
                && value.endsWith(ENCODED_END)
                && value.length() >= ENCODED_START.length() + ENCODED_END.length();
        if (!encoded) {
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
            return Base64.getEncoder().encodeToString(bytes).equals(base64) ? text : value;
        } catch (IllegalArgumentException | CharacterCodingException e) {
            return value;
        }
    }

    private static Reading.Unreadable mismatch(String header, String member, McpMessage message) {
        return new Reading.Unreadable(
                400,
                HEADER_MISMATCH,
                "Header " + header + " must be given once and agree with " + member + ".",
                message.id());
    }
}
