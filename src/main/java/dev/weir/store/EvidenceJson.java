package dev.weir.store;

import dev.weir.ban.Ban;
import java.util.List;
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
}
