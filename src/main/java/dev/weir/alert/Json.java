package dev.weir.alert;

import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JSON as it is sent and answered. */
final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Json() {}

    /** An object of texts, numbers, lists and objects. */
    static String text(Map<String, ?> members) {
        return MAPPER.writeValueAsString(members);
    }

    /** A text as an object; null if it is none. */
    static @Nullable JsonNode object(String text) {
        try {
            JsonNode node = MAPPER.readTree(text);
            return node != null && node.isObject() ? node : null;
        } catch (JacksonException e) {
            return null;
        }
    }

    /** A whole number among the members of an object, under the first name that is there. */
    static OptionalInt number(JsonNode object, String... names) {
        for (String name : names) {
            JsonNode member = object.get(name);
            if (member != null) {
                return member.isInt() ? OptionalInt.of(member.intValue()) : OptionalInt.empty();
            }
        }
        return OptionalInt.empty();
    }
}
