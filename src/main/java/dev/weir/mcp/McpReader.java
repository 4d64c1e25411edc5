package dev.weir.mcp;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads a body as one JSON-RPC message or as a batch of them, and refuses whatever two parsers could read as two different messages: duplicate
 * members anywhere, bytes behind the value, a byte order mark, any encoding but strict UTF-8, ids that are neither strings nor
 * integers. Nothing is repaired. Safe for use by many threads.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8259#section-4">RFC 8259, 4: what duplicate names lead to</a>
 */
public final class McpReader {

    /** The deepest nesting of arrays and objects that is read. */
    public static final int MAX_DEPTH = 256;

    private static final int MAX_NUMBER_LENGTH = 100;
    private static final int MAX_MEMBER_NAME_LENGTH = 4_096;

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final JsonFactory json = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_NUMBER_LENGTH)
                    .maxNameLength(MAX_MEMBER_NAME_LENGTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final boolean traced;

    /** A reader that does not look for traces. */
    public McpReader() {
        this(false);
    }

    /** @param traced whether to find out which trace a message belongs to, see {@link Reading.Read#trace} */
    public McpReader(boolean traced) {
        this.traced = traced;
    }

    /** Reads a body; its size has been bounded before. */
    public Reading read(byte[] body) {
        if (body.length >= 3
                && body[0] == BYTE_ORDER_MARK[0]
                && body[1] == BYTE_ORDER_MARK[1]
                && body[2] == BYTE_ORDER_MARK[2]) {
            return Reading.Unreadable.parseError("The body must not begin with a byte order mark.");
        }
        CharBuffer text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(body));
        } catch (CharacterCodingException e) {
            return Reading.Unreadable.parseError("The body is not UTF-8.");
        }
        try (JsonParser parser =
                json.createParser(ObjectReadContext.empty(), text.array(), text.arrayOffset(), text.remaining())) {
            return new BodyParser(parser, body, text, traced).read();
        } catch (StreamConstraintsException e) {
            return Reading.Unreadable.invalid(
                    "The body is nested too deeply, or holds a number or name that is too long.", null);
        } catch (JacksonException e) {
            String message = e.getOriginalMessage();
            return message != null && message.startsWith("Duplicate")
                    ? Reading.Unreadable.invalid("The body holds an object with two members of the same name.", null)
                    : Reading.Unreadable.parseError("The body is not one JSON value.");
        }
    }
}
