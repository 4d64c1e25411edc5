package dev.weir.mcp;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How servers read a body, each in its own way; what they make of it is what they would execute. */
final class OtherParsers {

    /** What a server would execute. The id is null, a text, or an integer of any length. */
    record Call(
            McpMessage.Kind kind,
            @Nullable String method,
            @Nullable String name,
            @Nullable Object id) {}

    /** A server's way of reading: one call, or those of a batch. */
    interface Parser {
        List<Call> read(byte[] body);
    }

    private static final JsonMapper LENIENT = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final JsonMapper STRICT = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private OtherParsers() {}

    /**
     * Takes the last of two members, the first, refuses both, matches names without regard to case, and ends names at a NUL. All
     * but the strict one read bytes and not text, and so guess at encodings.
     */
    static Map<String, Parser> all() {
        Map<String, Parser> parsers = new LinkedHashMap<>();
        parsers.put("last wins", body -> calls(LENIENT.readTree(body), name -> name));
        parsers.put("first wins", OtherParsers::firstCalls);
        parsers.put("strict", body -> calls(STRICT.readTree(new String(body, StandardCharsets.UTF_8)), name -> name));
        parsers.put("any case", body -> calls(LENIENT.readTree(body), OtherParsers::folded));
        parsers.put("up to NUL", body -> calls(LENIENT.readTree(body), OtherParsers::cut));
        return parsers;
    }

    private static List<Call> calls(JsonNode body, UnaryOperator<String> spelling) {
        return (body.isArray() ? body.values() : List.of(body))
                .stream().map(message -> call(members(message, spelling))).toList();
    }

    /** The members of a message under one way to spell their names; those of {@code params} begin with {@code params.}. */
    private static Map<String, JsonNode> members(JsonNode message, UnaryOperator<String> spelling) {
        Map<String, JsonNode> members = new LinkedHashMap<>();
        message.properties().forEach(member -> {
            String name = spelling.apply(member.getKey());
            members.put(name, member.getValue());
            if (name.equals("params")) {
                member.getValue()
                        .properties()
                        .forEach(param -> members.put("params." + spelling.apply(param.getKey()), param.getValue()));
            }
        });
        return members;
    }

    private static String folded(String name) {
        String folded = name.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
        return folded.equals("taskid") ? "taskId" : folded;
    }

    private static String cut(String name) {
        int nul = name.indexOf('\0');
        return nul < 0 ? name : name.substring(0, nul);
    }

    private static List<Call> firstCalls(byte[] body) {
        List<Call> calls = new ArrayList<>();
        try (JsonParser parser = LENIENT.createParser(body)) {
            boolean batch = parser.nextToken() == JsonToken.START_ARRAY;
            while (!batch || parser.nextToken() == JsonToken.START_OBJECT) {
                Map<String, JsonNode> members = new LinkedHashMap<>();
                first(parser, "", members);
                calls.add(call(members));
                if (!batch) {
                    break;
                }
            }
        }
        return calls;
    }

    private static void first(JsonParser parser, String prefix, Map<String, JsonNode> members) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = prefix + parser.currentName();
            JsonToken value = parser.nextToken();
            if (name.equals("params") && value == JsonToken.START_OBJECT && !members.containsKey(name)) {
                members.put(name, LENIENT.createObjectNode());
                first(parser, "params.", members);
            } else {
                JsonNode node = LENIENT.readTree(parser);
                members.putIfAbsent(name, node);
            }
        }
    }

    private static Call call(Map<String, JsonNode> members) {
        JsonNode method = members.get("method");
        JsonNode id = members.get("id");
        McpMessage.Kind kind = method == null
                ? McpMessage.Kind.RESPONSE
                : id == null ? McpMessage.Kind.NOTIFICATION : McpMessage.Kind.REQUEST;
        String target = method == null ? null : target(method.asString());
        JsonNode name = target == null ? null : members.get("params." + target);
        return new Call(
                kind, text(method), text(name), id == null ? null : id.isString() ? id.asString() : integer(id));
    }

    /** Said once more than in the code under test, so that a slip there is seen. */
    private static @Nullable String target(String method) {
        Map<String, String> targets = Map.of(
                "tools/call", "name",
                "prompts/get", "name",
                "resources/read", "uri",
                "tasks/get", "taskId",
                "tasks/update", "taskId",
                "tasks/cancel", "taskId");
        return targets.get(method);
    }

    private static @Nullable String text(@Nullable JsonNode node) {
        return node == null ? null : node.asString();
    }

    private static Object integer(JsonNode node) {
        return node.isIntegralNumber() ? node.bigIntegerValue() : "no id: " + node;
    }

    /** An id as the other parsers have it. */
    static @Nullable Object number(@Nullable RequestId id) {
        if (id == null) {
            return null;
        }
        return id.json().startsWith("\"") ? LENIENT.readTree(id.json()).asString() : new BigInteger(id.json());
    }
}
