package dev.weir.web;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The one view that everything here has of a request's path. A path that a container, a filter and an upstream could resolve
 * in different ways is none.
 *
 * @see <a href="https://jakarta.ee/specifications/servlet/6.0/jakarta-servlet-spec-6.0#uri-path-canonicalization">Servlet 6.0,
 *     3.5.2: URI path canonicalization</a>
 */
final class RequestPath {

    private static final char NONE = '\uffff';

    private RequestPath() {}

    /** What may stand for itself in a path, and so has no reason to be escaped but to be overlooked. */
    private static final Pattern UNRESERVED = Pattern.compile("[A-Za-z0-9._~-]");

    /** What separates, ends or escapes in somebody's reading, and what no path has. */
    private static final Pattern SEPARATING = Pattern.compile("[/\\\\;%\\p{Cntrl}]");

    /**
     * The path within the web application, decoded.
     *
     * @return null if it is not in its one plain form: with parameters, with empty or dot segments, or with escapes that are not
     *     needed or that some would decode and others not
     */
    static @Nullable String of(HttpServletRequest request) {
        String uri = request.getRequestURI();
        String context = request.getContextPath();
        if (!uri.startsWith(context)) {
            return null;
        }
        String raw = uri.substring(context.length());
        String decoded = request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
        boolean plain = raw.startsWith("/")
                && raw.indexOf(';') < 0
                && raw.indexOf('\\') < 0
                && !raw.contains("//")
                && !raw.contains("/./")
                && !raw.contains("/../")
                && !raw.endsWith("/.")
                && !raw.endsWith("/..");
        return plain && decoded.equals(decode(raw)) ? decoded : null;
    }

    private static @Nullable String decode(String raw) {
        if (raw.indexOf('%') < 0) {
            return raw;
        }
        ByteBuffer bytes = ByteBuffer.allocate(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                c = escaped(raw, i);
                i += 2;
            } else if (c > 0x7e) {
                return null;
            }
            if (c == NONE) {
                return null;
            }
            bytes.put((byte) c);
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** The byte that an escape stands for, or {@link #NONE} if it may not stand here. */
    private static char escaped(String raw, int at) {
        int high = at + 2 < raw.length() ? Character.digit(raw.charAt(at + 1), 16) : -1;
        int low = at + 2 < raw.length() ? Character.digit(raw.charAt(at + 2), 16) : -1;
        if (high < 0 || low < 0) {
            return NONE;
        }
        char c = (char) (high * 16 + low);
        String text = String.valueOf(c);
        boolean hides = c < 0x80
                && (UNRESERVED.matcher(text).matches()
                        || SEPARATING.matcher(text).matches());
        return hides ? NONE : c;
    }
}
