package dev.weir.auth;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a proxy says of the one that it sends for.
 *
 * @param address null if it names none that is an address
 * @param scheme  null if it names none that is known here
 * @param host    null if it names none that could be one
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7239#section-4">RFC 7239, 4: the Forwarded field, and 6: node identifiers</a>
 */
record Hop(
        @Nullable InetAddress address,
        @Nullable String scheme,
        @Nullable String host) {

    /** Nothing that is of any use. */
    static final Hop UNKNOWN = new Hop(null, null, null);

    private static final Pattern NODE =
            Pattern.compile("(?:\\[(?<six>[^\\]]*)]|(?<four>[^:]*))(?::(?:[0-9]{1,5}|_[\\w.-]+))?");
    private static final Pattern HOST = Pattern.compile("(?:[a-z0-9._-]{1,255}|\\[[0-9a-f:.]{2,45}])(?::[0-9]{1,5})?");

    /** From a node of {@code X-Forwarded-For}: an address, also with a port, an IPv6 one with brackets then. */
    static Hop node(String node) {
        return new Hop(address(node), null, null);
    }

    /** What is said beside {@code X-Forwarded-For}, by the last who has said it. */
    static Hop beside(Function<String, List<String>> lines) {
        return new Hop(
                null, scheme(last(lines.apply("X-Forwarded-Proto"))), host(last(lines.apply("X-Forwarded-Host"))));
    }

    /** From an element of {@code Forwarded}; nothing of it is used if something is named twice. */
    static Hop element(String element) {
        String[] values = new String[3];
        int end = element.length();
        while (end >= 0) {
            int semicolon = ForwardedList.separator(element, end, ';', true);
            String pair = element.substring(semicolon + 1, end).strip();
            end = semicolon;
            int equals = pair.indexOf('=');
            int which = equals < 0 ? -1 : List.of("for", "proto", "host").indexOf(fold(pair.substring(0, equals)));
            if (which >= 0 && values[which] != null) {
                return UNKNOWN;
            }
            if (which >= 0) {
                values[which] = unquoted(pair.substring(equals + 1));
            }
        }
        return new Hop(address(values[0]), scheme(values[1]), host(values[2]));
    }

    private static @Nullable InetAddress address(@Nullable String node) {
        if (node == null) {
            return null;
        }
        InetAddress alone = ClientAddress.parse(node);
        Matcher parts = NODE.matcher(node);
        if (alone != null || !parts.matches()) {
            return alone;
        }
        String six = parts.group("six");
        if (six != null) {
            return six.indexOf(':') < 0 ? null : ClientAddress.parse(ClientAddress.bare(six));
        }
        return ClientAddress.parse(parts.group("four"));
    }

    private static @Nullable String scheme(@Nullable String text) {
        String folded = text == null ? "" : fold(text);
        return folded.equals("http") || folded.equals("https") ? folded : null;
    }

    private static @Nullable String host(@Nullable String text) {
        return text != null && HOST.matcher(fold(text)).matches() ? text : null;
    }

    private static @Nullable String last(List<String> lines) {
        if (lines.isEmpty()) {
            return null;
        }
        String line = lines.get(lines.size() - 1);
        return line.substring(line.lastIndexOf(',') + 1).strip();
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1") : value;
    }

    private static String fold(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
