package dev.weir.admin;

import dev.weir.policy.table.Table;
import dev.weir.rest.Problem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a page ends, as a word that the next one is asked for with. */
final class Cursor {

    private Cursor() {}

    static String of(List<Object> key) {
        StringBuilder text = new StringBuilder();
        for (Object part : key) {
            text.append(part.toString().length()).append(':').append(part);
        }
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** @throws Problem 400 if it is no word of ours */
    static @Nullable List<Object> key(Table table, @Nullable String cursor) throws Problem {
        if (cursor == null) {
            return null;
        }
        try {
            String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
            List<Object> key = new ArrayList<>();
            int from = 0;
            while (from < text.length()) {
                int colon = text.indexOf(':', from);
                int end = colon + 1 + Integer.parseInt(text.substring(from, colon));
                key.add(text.substring(colon + 1, end));
                from = end;
            }
            if (key.size() == table.key().size()) {
                return key;
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw unknown(cursor);
        }
        throw unknown(cursor);
    }

    private static Problem unknown(String cursor) {
        return Problem.faulty(
                400,
                "not_valid",
                List.of(new Problem.Fault("after", cursor, "must be what another page has told as its next")));
    }
}
