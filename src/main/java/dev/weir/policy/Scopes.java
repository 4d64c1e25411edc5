package dev.weir.policy;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Scopes as columns have them.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc6749#section-3.3">RFC 6749, 3.3</a>
 */
final class Scopes {

    /** Without the brackets that the RFC allows. */
    private static final Pattern WORDS = Pattern.compile("[!#-Z^-~]+( [!#-Z^-~]+)*");

    private Scopes() {}

    /** @throws IllegalArgumentException if the column is not empty and not words with one space between them */
    static Set<String> of(String column) {
        if (column.isEmpty()) {
            return Set.of();
        }
        if (!WORDS.matcher(column).matches()) {
            throw new IllegalArgumentException(
                    "scopes must be words of ASCII without quotes, brackets or backslashes, with one space between them, not ["
                            + column + "]");
        }
        return Set.copyOf(List.of(column.split(" ", -1)));
    }
}
