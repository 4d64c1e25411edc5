package dev.weir.telemetry;

import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads fields that were put into a map by their names in lower case. */
enum MapGetter implements TextMapGetter<Map<String, String>> {
    INSTANCE;

    @Override
    public @Nullable String get(@Nullable Map<String, String> fields, String key) {
        return fields == null ? null : fields.get(key.toLowerCase(Locale.ROOT));
    }
}
