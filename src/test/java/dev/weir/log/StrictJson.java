package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads a log the way the strictest of its readers does. */
public final class StrictJson {

    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .build();

    private StrictJson() {}

    /** The lines, each of which has to be one JSON object of printable ASCII, with the members that every line has. */
    public static List<JsonNode> lines(byte[] log) {
        assertThat(new String(log, StandardCharsets.ISO_8859_1))
                .as("printable characters and line feeds only")
                .matches("[\\x20-\\x7e\\n]*+");
        return new String(log, StandardCharsets.US_ASCII)
                .lines()
                .map(StrictJson::line)
                .toList();
    }

    /** One line. */
    public static JsonNode line(String line) {
        JsonNode node = JSON.readTree(line);
        assertThat(node.isObject()).as(line).isTrue();
        assertThat(node.path("time").asString())
                .as(line)
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(node.path("level").asString()).as(line).isIn("DEBUG", "INFO", "WARN", "ERROR");
        assertThat(node.path("event").asString()).as(line).matches("[a-z_]+");
        node.properties().forEach(member -> assertWhole(member.getValue(), line));
        return node;
    }

    private static void assertWhole(JsonNode value, String line) {
        if (value.isString()) {
            String text = value.asString();
            for (int i = 0; i < text.length(); i++) {
                if (Character.isHighSurrogate(text.charAt(i))) {
                    i++;
                    assertThat(i < text.length() && Character.isLowSurrogate(text.charAt(i)))
                            .as(line)
                            .isTrue();
                } else {
                    assertThat(Character.isSurrogate(text.charAt(i))).as(line).isFalse();
                }
            }
        }
    }
}
