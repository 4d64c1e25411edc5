package dev.weir.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/** One JSON object a line, in printable ASCII: whatever else takes a character for the end of a line finds none here. */
final class JsonLine implements LineForm {

    private static final class DeleteToo extends CharacterEscapes {

        private final int[] ascii = CharacterEscapes.standardAsciiEscapesForJSON();

        DeleteToo() {
            ascii[0x7f] = ESCAPE_STANDARD;
        }

        @Override
        public int[] getEscapeCodesForAscii() {
            return ascii;
        }

        @Override
        public SerializableString getEscapeSequence(int character) {
            throw new IllegalStateException("no character has a sequence of its own");
        }
    }

    private static final JsonFactory JSON = JsonFactory.builder()
            .characterEscapes(new DeleteToo())
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .build();

    @Override
    public void write(ILoggingEvent event, ByteArrayOutputStream out) {
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
            members(json, LineFields.of(event));
        }
        out.write('\n');
    }

    private static void members(JsonGenerator json, Map<?, ?> fields) {
        json.writeStartObject();
        fields.forEach((name, value) -> {
            json.writeName(String.valueOf(name));
            value(json, value);
        });
        json.writeEndObject();
    }

    private static void value(JsonGenerator json, Object value) {
        if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof Double number) {
            json.writeNumber(number);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof Map<?, ?> inner) {
            members(json, inner);
        } else if (value instanceof List<?> texts) {
            json.writeStartArray();
            texts.forEach(text -> json.writeString(String.valueOf(text)));
            json.writeEndArray();
        } else {
            json.writeString(String.valueOf(value));
        }
    }
}
