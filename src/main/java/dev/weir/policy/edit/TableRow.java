package dev.weir.policy.edit;

import dev.weir.policy.table.Column;
import dev.weir.policy.table.Table;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A row as it stands in a table. Immutable.
 *
 * @param values by the names of the columns, each of the type that the column has
 */
public record TableRow(Table table, Map<String, @Nullable Object> values) {

    private static final int TAG_LENGTH = 32;

    /** Keeps the values in their order. */
    public TableRow {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** What names the row among those of its table. */
    public List<Object> key() {
        return table.key().stream()
                .map(column -> Objects.requireNonNull(values.get(column.name()), column.name()))
                .toList();
    }

    /** The same row as somebody may see it who is not to see secrets. */
    public TableRow withoutSecrets() {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>(values);
        for (Column column : table.columns()) {
            if (column.secret() && values.get(column.name()) instanceof String text && !Hidden.isReference(text)) {
                shown.put(column.name(), Hidden.PLACEHOLDER);
            }
        }
        return new TableRow(table, shown);
    }

    /**
     * A word that is another one whenever a value is, for {@code ETag}.
     *
     * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3">RFC 9110, 8.8.3</a>
     */
    public String tag() {
        StringBuilder text = new StringBuilder(table.name());
        values.forEach((name, value) -> {
            String written = String.valueOf(value);
            text.append('\n').append(name).append(value == null ? '-' : '=').append(written.length());
            text.append(':').append(written);
        });
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, TAG_LENGTH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
