package dev.weir.admin;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/**
 * Instants as answers have them: RFC 3339, UTC, with milliseconds.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc3339#section-5.6">RFC 3339, 5.6</a>
 */
public final class Utc {

    private static final DateTimeFormatter MILLIS =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

    private Utc() {}

    /** An instant as text. */
    public static String text(Instant instant) {
        return MILLIS.format(instant);
    }
}
