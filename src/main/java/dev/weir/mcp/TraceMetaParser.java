package dev.weir.mcp;

import java.nio.CharBuffer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Picks out of one {@code _meta}, member by member, what belongs to a trace, and where it stands. For one thread. */
final class TraceMetaParser {

    private static final int MAX_LENGTH = 512;

    private final JsonParser parser;
    private final CharBuffer text;
    private final boolean ascii;
    private final int open;
    private boolean empty = true;
    private boolean named;
    private @Nullable String parent;
    private @Nullable String state;
    private int from;
    private int to;

    /**
     * @param parser within the object, before its first member
     * @param bytes  how many bytes the text has
     * @param open   the character behind the object's brace
     */
    TraceMetaParser(JsonParser parser, CharBuffer text, int bytes, long open) {
        this.parser = parser;
        this.text = text;
        this.ascii = bytes == text.remaining();
        this.open = (int) open;
    }

    /** The next member, whose value has just begun. */
    void member(String name, JsonToken value) {
        empty = false;
        if (name.equals(TraceMeta.TRACEPARENT)) {
            named = true;
            from = (int) parser.currentTokenLocation().getCharOffset();
            parent = string(value);
            to = (int) parser.currentLocation().getCharOffset();
        } else if (name.equals(TraceMeta.TRACESTATE)) {
            named = true;
            state = string(value);
        }
    }

    /** What there was, when the last member has been read. */
    TraceMeta found() {
        if (parent != null) {
            int start = offset(0, from);
            return TraceMeta.at(parent, state, start, start + offset(from, to));
        }
        return named ? TraceMeta.NONE : TraceMeta.room(offset(0, open), empty);
    }

    private @Nullable String string(JsonToken value) {
        if (value != JsonToken.VALUE_STRING) {
            return null;
        }
        String string = parser.getString();
        return string.length() <= MAX_LENGTH ? string : null;
    }

    private int offset(int start, int end) {
        return ascii ? end - start : Utf8.length(text, start, end);
    }
}
