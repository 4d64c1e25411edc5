package dev.weir.mcp;

import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads the one value of a body: a message, or an array of messages. For one body and one thread.
 *
 * @see <a href="https://www.jsonrpc.org/specification#batch">JSON-RPC 2.0, 6: batch</a>
 */
final class BodyParser {

    private final JsonParser parser;
    private final byte[] body;
    private final CharBuffer text;
    private final boolean traced;

    /**
     * @param parser at the beginning of the text
     * @param body   the text in UTF-8
     * @param traced whether anybody wants to know which trace a message that comes alone belongs to
     */
    BodyParser(JsonParser parser, byte[] body, CharBuffer text, boolean traced) {
        this.parser = parser;
        this.body = body;
        this.text = text;
        this.traced = traced;
    }

    Reading read() {
        JsonToken first = parser.nextToken();
        if (first == null) {
            return Reading.Unreadable.parseError("The body is empty.");
        }
        if (first != JsonToken.START_OBJECT && first != JsonToken.START_ARRAY) {
            return Reading.Unreadable.invalid("The body must be one JSON-RPC message, an object.", null);
        }
        Reading reading = first == JsonToken.START_ARRAY ? batch() : message(traced);
        boolean unfinished = reading instanceof Reading.Unreadable && first == JsonToken.START_ARRAY;
        if (!unfinished && parser.nextToken() != null) {
            return Reading.Unreadable.invalid("There is something behind the message.", id(reading));
        }
        return reading;
    }

    private Reading message(boolean tracedToo) {
        return new MessageParser(parser, body, text, tracedToo).read();
    }

    /** Ends at the first element that is not to be had, so that a long batch costs no more than a short one. */
    private Reading batch() {
        List<McpMessage> messages = new ArrayList<>();
        Set<RequestId> ids = new HashSet<>();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            if (messages.size() == Reading.Batch.MAX_MESSAGES) {
                return wrong("holds more than " + Reading.Batch.MAX_MESSAGES + " messages");
            }
            if (token != JsonToken.START_OBJECT) {
                return wrong("holds something that is no message");
            }
            Reading element = message(false);
            if (element instanceof Reading.Unreadable unreadable) {
                return Reading.Unreadable.invalid("In a batch of messages: " + unreadable.reason(), null);
            }
            McpMessage message = ((Reading.Read) element).message();
            if (message.era() == Era.MODERN) {
                return wrong("holds a message of a revision that has no batches");
            }
            if ("initialize".equals(message.method())) {
                return wrong("holds initialize, which has to come alone");
            }
            if (message.kind() == McpMessage.Kind.REQUEST && !ids.add(message.requireId())) {
                return wrong("holds two requests of the same id");
            }
            messages.add(message);
        }
        return messages.isEmpty() ? wrong("holds no message") : new Reading.Batch(messages);
    }

    private static Reading wrong(String what) {
        return Reading.Unreadable.invalid("A batch of messages is not accepted that " + what + ".", null);
    }

    private static @Nullable RequestId id(Reading reading) {
        if (reading instanceof Reading.Read read) {
            return read.message().id();
        }
        return reading instanceof Reading.Unreadable unreadable ? unreadable.id() : null;
    }
}
