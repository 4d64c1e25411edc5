package dev.weir.mcp;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The JSON that Weir says for itself: JSON-RPC errors, tool results that report an error, and the plain error object of
 * routes that do not speak JSON-RPC. Each answer is one UTF-8 JSON object with no {@code result} beside an {@code error}.
 *
 * <p>Details are given as maps of strings, numbers, booleans, null, lists of strings and further such maps, written in the
 * map's order.
 */
public final class McpReply {

    private static final JsonFactory JSON = new JsonFactory();

    private McpReply() {}

    /**
     * A JSON-RPC error.
     *
     * @param id   the id of the request; without one the answer says {@code "id":null}, as JSON-RPC asks for where the id
     *             could not be read
     * @param data what a program may want to know; left out when empty
     */
    public static byte[] error(@Nullable RequestId id, int code, String message, Map<String, ?> data) {
        return write(json -> {
            head(json, id);
            json.writeObjectPropertyStart("error");
            json.writeNumberProperty("code", code);
            json.writeStringProperty("message", message);
            if (!data.isEmpty()) {
                properties(json, "data", data);
            }
            json.writeEndObject();
        });
    }

    /**
     * The same JSON-RPC error for each request of a batch.
     *
     * @param ids at least one
     */
    public static byte[] errors(List<RequestId> ids, int code, String message, Map<String, ?> data) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(512 * ids.size());
        for (RequestId id : ids) {
            out.write(out.size() == 0 ? '[' : ',');
            out.writeBytes(error(id, code, message, data));
        }
        out.write(']');
        return out.toByteArray();
    }

    /** A result of {@code tools/call} with {@code isError}: the one refusal that hosts reliably show to their model. */
    public static byte[] toolError(RequestId id, Era era, String text, Map<String, ?> meta) {
        return write(json -> {
            head(json, id);
            json.writeObjectPropertyStart("result");
            if (era == Era.MODERN) {
                json.writeStringProperty("resultType", "complete");
            }
            json.writeArrayPropertyStart("content");
            json.writeStartObject();
            json.writeStringProperty("type", "text");
            json.writeStringProperty("text", text);
            json.writeEndObject();
            json.writeEndArray();
            json.writeBooleanProperty("isError", true);
            properties(json, "_meta", meta);
            json.writeEndObject();
        });
    }

    /** A plain JSON object, for what is no JSON-RPC. */
    public static byte[] object(Map<String, ?> members) {
        return write(json -> members.forEach((name, value) -> property(json, name, value)));
    }

    private static void head(JsonGenerator json, @Nullable RequestId id) {
        json.writeStringProperty("jsonrpc", "2.0");
        json.writeName("id");
        json.writeRawValue(id == null ? "null" : id.json());
    }

    private static void properties(JsonGenerator json, String name, Map<String, ?> members) {
        json.writeObjectPropertyStart(name);
        members.forEach((member, value) -> property(json, member, value));
        json.writeEndObject();
    }

    private static void property(JsonGenerator json, String name, @Nullable Object value) {
        json.writeName(name);
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof Integer || value instanceof Long) {
            json.writeNumber(((Number) value).longValue());
        } else if (value instanceof Double number) {
            // Written out: not every reader of JSON takes an exponent for the number that a person would write.
            json.writeNumber(plain(number));
        } else if (value instanceof Map<?, ?> members) {
            json.writeStartObject();
            members.forEach((member, inner) -> property(json, String.valueOf(member), inner));
            json.writeEndObject();
        } else if (value instanceof List<?> words) {
            json.writeStartArray();
            words.forEach(word -> json.writeString(String.valueOf(word)));
            json.writeEndArray();
        } else {
            json.writeString(value.toString());
        }
    }

    private static String plain(double number) {
        return new BigDecimal(Double.toString(number)).stripTrailingZeros().toPlainString();
    }

    private static byte[] write(Body body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
            json.writeStartObject();
            body.writeTo(json);
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    private interface Body {
        void writeTo(JsonGenerator json);
    }
}
