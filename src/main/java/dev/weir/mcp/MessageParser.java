package dev.weir.mcp;

import java.nio.CharBuffer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.io.JsonStringEncoder;

/** Goes once over the tokens of one message and picks out what a decision needs. For one message and one thread. */
final class MessageParser {

    private static final int MAX_ID_LENGTH = 1_024;
    private static final int MAX_METHOD_LENGTH = 256;
    private static final int MAX_NAME_LENGTH = 4_096;
    private static final String PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";

    /** The first revision of the modern era; revisions are dates, and compare as text. */
    private static final String FIRST_MODERN = "2026-07-28";

    private final JsonParser parser;
    private final byte[] body;
    private final CharBuffer text;

    private boolean version;
    private boolean hasId;
    private boolean hasMethod;
    private boolean hasOutcome;
    private boolean hasParams;
    private @Nullable RequestId id;
    private @Nullable String method;
    private @Nullable String name;
    private @Nullable String uri;
    private @Nullable Arguments arguments;
    private @Nullable String revision;
    private @Nullable String problem;

    /**
     * @param parser of the whole text
     * @param body   the text in UTF-8
     */
    MessageParser(JsonParser parser, byte[] body, CharBuffer text) {
        this.parser = parser;
        this.body = body;
        this.text = text;
    }

    /** Reads a message whose first brace has just been read, to its last brace. */
    Reading read() {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            member(parser.currentName());
        }
        return judge();
    }

    private void member(String member) {
        JsonToken value = parser.nextToken();
        switch (member) {
            case "jsonrpc" ->
                version = value == JsonToken.VALUE_STRING && parser.getString().equals("2.0");
            case "id" -> {
                hasId = true;
                id(value);
            }
            case "method" -> {
                hasMethod = true;
                method = text(value, "method", MAX_METHOD_LENGTH);
            }
            case "params" -> {
                hasParams = true;
                params(value);
            }
            case "result", "error" -> {
                hasOutcome = true;
                parser.skipChildren();
            }
            default -> parser.skipChildren();
        }
    }

    private void id(JsonToken value) {
        if (value == JsonToken.VALUE_NUMBER_INT) {
            id = new RequestId(parser.getString());
        } else if (value == JsonToken.VALUE_STRING) {
            String text = text(value, "id", MAX_ID_LENGTH);
            if (text != null) {
                id = new RequestId(
                        '"' + new String(JsonStringEncoder.getInstance().quoteAsCharArray(text)) + '"');
            }
        } else {
            problem("id must be a string or an integer");
            parser.skipChildren();
        }
    }

    private void params(JsonToken value) {
        if (value != JsonToken.START_OBJECT) {
            problem("params must be an object");
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = parser.currentName();
            JsonToken token = parser.nextToken();
            switch (member) {
                case "name" -> name = optionalText(token);
                case "uri" -> uri = optionalText(token);
                case "arguments" -> arguments = arguments(token);
                case "_meta" -> meta(token);
                default -> parser.skipChildren();
            }
        }
    }

    private @Nullable Arguments arguments(JsonToken value) {
        long from = parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        long to = parser.currentLocation().getCharOffset();
        return value == JsonToken.START_OBJECT ? Arguments.of(body, text, from, to) : null;
    }

    private void meta(JsonToken value) {
        if (value != JsonToken.START_OBJECT) {
            problem("params._meta must be an object");
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            boolean wanted = parser.currentName().equals(PROTOCOL_VERSION);
            JsonToken token = parser.nextToken();
            if (wanted) {
                revision = text(token, PROTOCOL_VERSION, MAX_METHOD_LENGTH);
            }
            parser.skipChildren();
        }
    }

    private Reading judge() {
        if (!version) {
            problem("jsonrpc must be \"2.0\"");
        }
        if (hasMethod && hasOutcome) {
            problem("a message has either method or result or error");
        }
        if (!hasMethod && !(hasOutcome && hasId)) {
            problem("a message must have a method, or an id and a result or an error");
        }
        if (McpMessage.TOOLS_CALL.equals(method) && (name == null || name.isEmpty())) {
            problem(hasParams ? "params.name must be a non-empty string" : "params.name is missing");
        }
        if (problem != null) {
            return Reading.Unreadable.invalid("Not a valid JSON-RPC message: " + problem + ".", id);
        }
        McpMessage.Kind kind =
                !hasMethod ? McpMessage.Kind.RESPONSE : hasId ? McpMessage.Kind.REQUEST : McpMessage.Kind.NOTIFICATION;
        Era era = revision != null && revision.compareTo(FIRST_MODERN) >= 0 ? Era.MODERN : Era.LEGACY;
        return new Reading.Read(new McpMessage(kind, id, method, target(), era, arguments), revision);
    }

    private @Nullable String target() {
        if (method == null) {
            return null;
        }
        return switch (method) {
            case McpMessage.TOOLS_CALL, "prompts/get" -> name;
            case "resources/read" -> uri;
            default -> null;
        };
    }

    /** The text of a member that means something in some methods only; anything but a good string counts as absent. */
    private @Nullable String optionalText(JsonToken value) {
        if (value == JsonToken.VALUE_STRING) {
            String text = parser.getString();
            return text.length() <= MAX_NAME_LENGTH && isWellFormed(text) ? text : null;
        }
        parser.skipChildren();
        return null;
    }

    private @Nullable String text(JsonToken value, String member, int maxLength) {
        if (value != JsonToken.VALUE_STRING) {
            problem(member + " must be a string");
            parser.skipChildren();
            return null;
        }
        String text = parser.getString();
        if (text.length() > maxLength) {
            problem(member + " must be at most " + maxLength + " characters long");
            return null;
        }
        if (!isWellFormed(text)) {
            problem(member + " must not hold half of a surrogate pair");
            return null;
        }
        return text;
    }

    /** Keeps the first problem: what is found later may only follow from it. */
    private void problem(String found) {
        if (problem == null) {
            problem = found;
        }
    }

    private static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return false;
            }
        }
        return true;
    }
}
