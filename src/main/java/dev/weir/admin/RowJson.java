package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.policy.edit.TableRow;
import dev.weir.policy.table.Table;
import dev.weir.rest.Operator;
import dev.weir.rest.Segment;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How rows of the policy are shown. */
final class RowJson {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private RowJson() {}

    /** A row with its address and the tag that a change of it has to name, as somebody may see it. */
    static Map<String, Object> item(TableRow row, Operator operator) {
        TableRow shown = shown(row, operator);
        Map<String, Object> item = new LinkedHashMap<>();
        item.put("row", values(shown));
        item.put("self", self(row));
        item.put("etag", etag(shown));
        return item;
    }

    /** What somebody may see of a row. */
    static TableRow shown(TableRow row, Operator operator) {
        return operator.role().includes(Role.ADMIN) ? row : row.withoutSecrets();
    }

    /** The tag of a row as headers have it. */
    static String etag(TableRow row) {
        return '"' + row.tag() + '"';
    }

    /** The address of a row below the API's. */
    static String self(TableRow row) {
        return self(row.table(), row.key());
    }

    static String self(Table table, List<Object> key) {
        return "/v1/" + table.path() + "/"
                + key.stream().map(one -> Segment.of(one.toString())).collect(Collectors.joining("/"));
    }

    /** An instant in UTC, to the millisecond. */
    static String time(Instant instant) {
        return TIME.format(instant);
    }

    private static Map<String, @Nullable Object> values(TableRow row) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        row.values().forEach((name, value) -> values.put(name, value instanceof Instant at ? time(at) : value));
        return values;
    }
}
