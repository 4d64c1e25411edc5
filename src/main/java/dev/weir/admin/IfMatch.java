package dev.weir.admin;

import dev.weir.rest.Ask;
import dev.weir.rest.Problem;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which row is meant, so that nobody overwrites what somebody else has just changed.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1">RFC 9110, 13.1.1: If-Match</a>
 */
final class IfMatch {

    private IfMatch() {}

    /**
     * Whether a tag is one of those that a request names.
     *
     * @throws Problem 428 if it names none
     */
    static Predicate<String> of(Ask ask) throws Problem {
        return of(ask.header("If-Match"));
    }

    static Predicate<String> of(@Nullable String field) throws Problem {
        if (field == null || field.isBlank()) {
            throw Problem.of(
                    428, "if_match_needed", "Send the row's etag as If-Match, so that nobody else's change is lost.");
        }
        List<String> tags = Arrays.stream(field.split(",")).map(String::strip).toList();
        return tag -> tags.contains("*") || tags.contains('"' + tag + '"');
    }
}
