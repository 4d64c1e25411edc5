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

    private final JsonParser parser;
    private final byte[] body;
    private final CharBuffer text;

    private final boolean traced;

    private boolean version;
    private boolean hasId;
    private boolean hasMethod;
    private boolean hasOutcome;
    private boolean hasParams;
    private @Nullable RequestId id;
    private @Nullable String method;
    private @Nullable String name;
    private @Nullable String uri;
    private @Nullable String taskId;
    private @Nullable Arguments arguments;
    private @Nullable String revision;
    private TraceMeta trace = TraceMeta.NONE;
    private @Nullable String problem;
    private boolean lookalike;

    /**
     * @param parser of the whole text
     * @param body   the text in UTF-8
     * @param traced whether anybody wants to know which trace the message belongs to
     */
    MessageParser(JsonParser parser, byte[] body, CharBuffer text, boolean traced) {
        this.parser = parser;
        this.body = body;
        this.text = text;
        this.traced = traced;
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
            default -> {
                if (MemberNames.OF_MESSAGE.isLookalike(member)) {
                    problem("a member is spelled almost like one of JSON-RPC");
                }
                parser.skipChildren();
            }
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
                case "taskId" -> taskId = optionalText(token);
                case "arguments" -> arguments = arguments(token);
                case "_meta" -> meta(token);
                default -> {
                    lookalike |= MemberNames.OF_PARAMS.isLookalike(member);
                    parser.skipChildren();
                }
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
        TraceMetaParser traces = traced
                ? new TraceMetaParser(
                        parser, text, body.length, parser.currentLocation().getCharOffset())
                : null;
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String member = parser.currentName();
            JsonToken token = parser.nextToken();
            if (traces != null) {
                traces.member(member, token);
            }
            if (member.equals(PROTOCOL_VERSION)) {
                revision = text(token, PROTOCOL_VERSION, MAX_METHOD_LENGTH);
            }
            parser.skipChildren();
        }
        if (traces != null) {
            trace = traces.found();
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
        String target = method == null ? null : McpMessage.target(method);
        String applied = target == null ? null : applied(target);
        if (target != null && (applied == null || applied.isEmpty())) {
            problem("params." + target + (hasParams ? " must be a non-empty string" : " is missing"));
        }
        if (target != null && lookalike) {
            problem("a member of params is spelled almost like one that is read");
        }
        if (problem != null) {
            return Reading.Unreadable.invalid("Not a valid JSON-RPC message: " + problem + ".", id);
        }
        McpMessage.Kind kind =
                !hasMethod ? McpMessage.Kind.RESPONSE : hasId ? McpMessage.Kind.REQUEST : McpMessage.Kind.NOTIFICATION;
        return new Reading.Read(
                new McpMessage(kind, id, method, applied, Era.of(revision), arguments), revision, trace);
    }

    private @Nullable String applied(String target) {
        return switch (target) {
            case "name" -> name;
            case "uri" -> uri;
            default -> taskId;
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
