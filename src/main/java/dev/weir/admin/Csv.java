package dev.weir.admin;

import java.io.IOException;
import java.io.Writer;
import java.util.Collection;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes tables as CSV. Callers choose the names of tools, and some programs run what cells say; such cells get an apostrophe in
 * front.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc4180">RFC 4180</a>
 */
final class Csv {

    private static final Pattern RUN = Pattern.compile("^[=+\\-@\\t\\r\\n＝＋－＠]");
    private static final Pattern QUOTED = Pattern.compile("[\",\\r\\n]");

    private Csv() {}

    /** Writes one line. */
    static void line(Writer out, Collection<? extends @Nullable Object> cells) throws IOException {
        boolean first = true;
        for (Object cell : cells) {
            out.append(first ? "" : ",").append(cell(cell));
            first = false;
        }
        out.append("\r\n");
    }

    private static String cell(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        String text = value.toString();
        String harmless = value instanceof String && RUN.matcher(text).find() ? "'" + text : text;
        return QUOTED.matcher(harmless).find() ? '"' + harmless.replace("\"", "\"\"") + '"' : harmless;
    }
}
