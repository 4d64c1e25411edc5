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

/** The evidence of a ban as JSON text: an array of objects with {@code at}, {@code route}, {@code tool} and {@code level}. */
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
        }
        return JSON.writeValueAsString(all);
    }

    /** What can be read of a text that anybody may have written; what cannot be read is left out. */
    static List<Ban.Evidence> read(@Nullable String text) {
        List<Ban.Evidence> evidence = new ArrayList<>();
        if (text != null) {
            try {
                JSON.readTree(text).forEach(one -> add(one, evidence));
            } catch (JacksonException e) {
                return List.of();
            }
        }
        return List.copyOf(evidence);
    }

    private static void add(JsonNode one, List<Ban.Evidence> evidence) {
        try {
            Instant at = Instant.parse(one.path("at").asString(""));
            String tool = one.path("tool").isString() ? one.path("tool").asString() : null;
            evidence.add(new Ban.Evidence(
                    at, one.path("route").asString(""), tool, one.path("level").asString("")));
        } catch (DateTimeException e) {
            // Left out: a strike without a time proves nothing.
        }
    }
}
