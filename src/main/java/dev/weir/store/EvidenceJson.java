package dev.weir.store;

import dev.weir.ban.Ban;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The evidence of a ban as JSON text: an array of objects with {@code at}, {@code route}, {@code tool}, {@code level} and
 * {@code arguments}, which is a digest. */
final class EvidenceJson {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private EvidenceJson() {}

    static String write(List<Ban.Evidence> evidence) {
        ArrayNode all = JSON.createArrayNode();
        for (Ban.Evidence strike : evidence) {
            ObjectNode one = all.addObject();
            one.put("at", strike.at().toString());
            one.put("route", SqlText.storable(strike.route()));
            one.put("tool", strike.tool() == null ? null : SqlText.storable(strike.tool()));
            one.put("level", strike.level());
            one.put("arguments", strike.arguments());
        }
        return JSON.writeValueAsString(all);
    }

    /** The evidence of a text that anybody may have written; what cannot be read is left out. */
    static List<Ban.Evidence> read(@Nullable String text) {
        if (text == null) {
            return List.of();
        }
        try {
            List<Ban.Evidence> evidence = new ArrayList<>();
            for (JsonNode one : JSON.readTree(text)) {
                evidence.add(new Ban.Evidence(
                        Instant.parse(one.path("at").asString()),
                        one.path("route").asString(),
                        text(one.path("tool")),
                        one.path("level").asString(),
                        text(one.path("arguments"))));
            }
            return evidence;
        } catch (JacksonException | DateTimeException e) {
            return List.of();
        }
    }

    private static @Nullable String text(JsonNode value) {
        return value.isString() ? value.asString() : null;
    }
}
