package dev.weir.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * What a line says, in the order in which it is said, whatever was logged: no name twice, every text of a bounded length and
 * made of whole characters, and nothing in it that looks like a secret.
 */
final class LineFields {

    static final String TIME = "time";
    static final String LEVEL = "level";
    static final String EVENT = "event";
    static final String STACK_TRACE = "stack_trace";

    /** What a line of a library is called, whose own words are no fixed word. */
    private static final String LIBRARY = "library";

    private static final String OURS = "dev.weir.";
    /** Fields in the words of somebody else: an upstream, a database, an exception. */
    private static final Set<String> FREE = Set.of("failure", "reason", "why", "by");

    private static final int MAX_TEXT = 4_096;
    private static final int MAX_STACK_TRACE = 16_384;
    private static final char REPLACEMENT = '\uFFFD';

    private static final DateTimeFormatter TIME_FORM =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private LineFields() {}

    /** The fields of an event. Values are strings, numbers, booleans, lists of strings, and maps of strings to strings. */
    static Map<String, Object> of(ILoggingEvent event) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(TIME, TIME_FORM.format(Instant.ofEpochMilli(event.getTimeStamp())));
        fields.put(LEVEL, event.getLevel().toString());
        String words = String.valueOf(event.getFormattedMessage());
        boolean ours = event.getLoggerName().startsWith(OURS);
        fields.put(EVENT, ours ? whole(words, MAX_TEXT) : LIBRARY);
        fields.put("logger", whole(event.getLoggerName(), MAX_TEXT));
        if (!ours) {
            fields.put("message", free(words, MAX_TEXT));
        }
        String trace =
                event.getThrowableProxy() == null ? null : ThrowableProxyUtil.asString(event.getThrowableProxy());
        for (KeyValuePair pair : pairs(event)) {
            if (pair.value != null) {
                Object value = FREE.contains(pair.key) ? free(String.valueOf(pair.value), MAX_TEXT) : value(pair.value);
                fields.put(name(pair.key, fields, trace), value);
            }
        }
        if (trace != null) {
            fields.put(STACK_TRACE, stackTrace(trace));
        }
        return fields;
    }

    private static List<KeyValuePair> pairs(ILoggingEvent event) {
        return event.getKeyValuePairs() == null ? List.of() : event.getKeyValuePairs();
    }

    /** A name that the line does not have yet. */
    private static String name(String wanted, Map<String, Object> fields, @Nullable String trace) {
        String name = whole(wanted, 64);
        while (fields.containsKey(name) || (trace != null && name.equals(STACK_TRACE))) {
            name += "_";
        }
        return name;
    }

    private static Object value(Object value) {
        if (value instanceof Boolean || value instanceof Integer || value instanceof Long) {
            return value;
        }
        if (value instanceof Double number) {
            return number.isNaN() || number.isInfinite() ? number.toString() : number;
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> texts = new LinkedHashMap<>();
            map.forEach((name, inner) -> texts.put(name(String.valueOf(name), texts, null), text(inner)));
            return texts;
        }
        if (value instanceof List<?> list) {
            List<String> texts = new ArrayList<>();
            list.forEach(inner -> texts.add(text(inner)));
            return texts;
        }
        return text(value);
    }

    private static String text(@Nullable Object value) {
        return SecretText.mask(whole(String.valueOf(value), MAX_TEXT));
    }

    /** What somebody else has written in words of their own. */
    private static String free(String words, int longest) {
        return SecretText.maskFree(whole(words, longest));
    }

    /** A stack trace: its frames are names of classes, and only what stands between them is somebody's words. */
    private static String stackTrace(String trace) {
        return whole(trace, MAX_STACK_TRACE)
                .lines()
                .map(line -> line.startsWith("\tat ") ? line : SecretText.maskFree(line))
                .collect(Collectors.joining("\n"));
    }

    /** A text no longer than a bound, without halves of characters, which some readers of JSON refuse. */
    static String whole(String text, int longest) {
        int end = Math.min(text.length(), longest);
        StringBuilder repaired = null;
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean pair =
                        Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(text.charAt(i + 1));
                if (pair) {
                    i++;
                } else {
                    repaired = repaired == null ? new StringBuilder(text.substring(0, end)) : repaired;
                    repaired.setCharAt(i, REPLACEMENT);
                }
            }
        }
        String kept = repaired == null ? text.substring(0, end) : repaired.toString();
        return end < text.length() ? kept + "…" : kept;
    }
}
