package dev.weir.auth;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hops that a header field lists, from the right: whatever stands further left cannot change how they are read. For one
 * thread.
 */
final class ForwardedList {

    private final ForwardedHeader header;
    private final List<String> lines;

    /** The line that is being read, and where what has been read of it begins. */
    private int line;

    private int end;

    /** @param lines in their order; several are one list */
    ForwardedList(ForwardedHeader header, List<String> lines) {
        this.header = header;
        this.lines = lines;
        this.line = lines.size();
        this.end = -1;
    }

    /** The next hop to the left; null if there is none. Empty elements are none. */
    @Nullable
    Hop next() {
        while (end >= 0 || line > 0) {
            if (end < 0) {
                line--;
                end = lines.get(line).length();
            }
            String text = lines.get(line);
            int comma = separator(text, end, ',', header == ForwardedHeader.FORWARDED);
            String element = text.substring(comma + 1, end).strip();
            end = comma;
            if (!element.isEmpty()) {
                return header == ForwardedHeader.FORWARDED ? Hop.element(element) : Hop.node(element);
            }
        }
        return null;
    }

    /**
     * Where the last separator before an end is.
     *
     * @param quotes whether what is between quotation marks separates nothing
     * @return -1 if there is none
     */
    static int separator(String text, int end, char separator, boolean quotes) {
        int i = end - 1;
        while (i >= 0 && text.charAt(i) != separator) {
            i = (quotes && text.charAt(i) == '"' ? opening(text, i) : i) - 1;
        }
        return Math.max(i, -1);
    }

    /** Where the quotation begins that ends here; -1 if nowhere. */
    private static int opening(String text, int closing) {
        int i = text.lastIndexOf('"', closing - 1);
        while (i >= 0 && isEscaped(text, i)) {
            i = text.lastIndexOf('"', i - 1);
        }
        return i;
    }

    private static boolean isEscaped(String text, int at) {
        int i = at;
        while (i > 0 && text.charAt(i - 1) == '\\') {
            i--;
        }
        return (at - i) % 2 == 1;
    }
}
