package dev.weir.mcp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Goes once over the tokens of a text and finds what is to be cut out of it. For one text and one thread. */
final class ListingParser {

    private static final String NOTHING = "";
    private static final String NO_TOOLS = "[]";
    private static final String PRIVATE = "\"private\"";

    /**
     * Some text, of ASCII, in the place of some bytes.
     *
     * @param from the first byte that goes
     * @param to   the first one after it that stays
     */
    record Cut(int from, int to, String instead) {

        /** What is left after cuts that are in order; the text itself if there are none. */
        static byte[] all(List<Cut> cuts, byte[] text) {
            if (cuts.isEmpty()) {
                return text;
            }
            ByteArrayOutputStream left = new ByteArrayOutputStream(text.length);
            int at = 0;
            for (Cut cut : cuts) {
                left.write(text, at, cut.from() - at);
                left.writeBytes(cut.instead().getBytes(StandardCharsets.US_ASCII));
                at = cut.to();
            }
            left.write(text, at, text.length - at);
            return left.toByteArray();
        }
    }

    private final JsonParser parser;
    private final Predicate<String> visible;
    private final List<Cut> cuts = new ArrayList<>();

    /** @param parser of the whole text, counting in bytes */
    ListingParser(JsonParser parser, Predicate<String> visible) {
        this.parser = parser;
        this.visible = visible;
    }

    /** The cuts in order; null if there is no value, or something behind it. */
    @Nullable
    List<Cut> read() {
        JsonToken first = parser.nextToken();
        if (first == JsonToken.START_ARRAY) {
            for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
                message(next);
            }
        } else if (first != null) {
            message(first);
        }
        return first == null || parser.nextToken() != null ? null : cuts;
    }

    private void message(JsonToken value) {
        if (value != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            boolean result = parser.currentName().equals("result");
            JsonToken member = parser.nextToken();
            if (result && member == JsonToken.START_OBJECT) {
                result();
            } else {
                parser.skipChildren();
            }
        }
    }

    private void result() {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = parser.currentName();
            JsonToken value = parser.nextToken();
            if (member.equals("tools") && value == JsonToken.START_ARRAY) {
                tools();
            } else if (member.equals("tools") && value != JsonToken.VALUE_NULL) {
                replace(NO_TOOLS);
            } else if (member.equals("cacheScope") && isPublic(value)) {
                replace(PRIVATE);
            } else {
                parser.skipChildren();
            }
        }
    }

    private boolean isPublic(JsonToken value) {
        return value == JsonToken.VALUE_STRING && parser.getString().equals("public");
    }

    private void replace(String instead) {
        int from = start();
        cuts.add(new Cut(from, end(), instead));
    }

    /** Of the commas between elements, each goes with the element before it as long as none stays, and then with the one after it. */
    private void tools() {
        boolean stays = false;
        int pending = -1;
        int last = -1;
        for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
            int from = start();
            boolean shown = isShown(next);
            int to = end();
            if (pending >= 0) {
                cuts.add(new Cut(pending, from, NOTHING));
                pending = -1;
            }
            if (!shown && stays) {
                cuts.add(new Cut(last, to, NOTHING));
            } else if (!shown) {
                pending = from;
            }
            stays |= shown;
            last = to;
        }
        if (pending >= 0) {
            cuts.add(new Cut(pending, last, NOTHING));
        }
    }

    /** Reads a tool to its end. */
    private boolean isShown(JsonToken value) {
        if (value != JsonToken.START_OBJECT) {
            return false;
        }
        boolean named = false;
        boolean hidden = false;
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            boolean name = parser.currentName().equals("name");
            JsonToken member = parser.nextToken();
            if (name) {
                named = true;
                hidden |= member != JsonToken.VALUE_STRING || !visible.test(parser.getString());
            }
            parser.skipChildren();
        }
        return named && !hidden;
    }

    private int start() {
        return (int) parser.currentTokenLocation().getByteOffset();
    }

    /** Where the value ends that is being read. */
    private int end() {
        parser.skipChildren();
        parser.finishToken();
        return (int) parser.currentLocation().getByteOffset();
    }
}
