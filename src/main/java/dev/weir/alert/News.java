package dev.weir.alert;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that people are to be told. Immutable. Its texts may have been made by callers, so all of them are cut and put on one line
 * here; what a format means by the characters that are left is the format's affair.
 *
 * @param event   what kind of thing has happened
 * @param subject to whom or what; news of the same kind about the same subject is told once in a while only
 * @param route   the route that it happened on; null if it concerns all
 * @param title   what has happened, in a few words
 * @param text    the same as a sentence
 * @param fields  the same for programs: texts, numbers and lists of texts, in the order in which they are to be shown
 */
public record News(
        AlertEvent event,
        String subject,
        @Nullable String route,
        String title,
        String text,
        Map<String, Object> fields) {

    private static final int MOST_TITLE = 120;
    private static final int MOST_TEXT = 600;
    private static final int MOST_VALUE = 256;
    private static final int MOST_VALUES = 5;

    /** Cuts whatever is too long. */
    public News {
        title = PlainText.of(title, MOST_TITLE);
        text = PlainText.of(text, MOST_TEXT);
        Map<String, Object> cut = new LinkedHashMap<>();
        fields.forEach((name, value) -> cut.put(name, value(value)));
        fields = Collections.unmodifiableMap(cut);
    }

    private static Object value(Object value) {
        if (value instanceof Number) {
            return value;
        }
        if (value instanceof List<?> values) {
            List<Object> cut = new ArrayList<>();
            values.stream().limit(MOST_VALUES).forEach(each -> cut.add(value(each)));
            return Collections.unmodifiableList(cut);
        }
        return PlainText.of(String.valueOf(value), MOST_VALUE);
    }
}
