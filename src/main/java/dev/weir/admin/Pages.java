package dev.weir.admin;

import dev.weir.ban.Place;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Parameter;
import dev.weir.rest.Problem;
import dev.weir.rest.Schema;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * History as answers show it: page by page, each of which begins where the one before ended. Immutable.
 *
 * @param <T> what is on the pages
 * @param place where a page ends, by its last
 * @param json  what is shown of one
 */
record Pages<T>(Function<T, Place> place, Function<T, Map<String, @Nullable Object>> json) {

    /** Reads a page. */
    interface Reader<T> {

        /** What comes after a place; from the first on if that is null. */
        List<T> page(@Nullable Place after, int most);
    }

    private static final int STANDARD = 50;
    private static final int MOST = 500;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

    static final Parameter LIMIT = Parameter.query("limit", Schema.whole(1, MOST), "the most items; 50 if not said");
    static final Parameter AFTER =
            Parameter.query("after", Schema.text(1_000), "what the page before has told as its next");

    /** Both, behind others. */
    static Parameter[] with(List<Parameter> filters) {
        List<Parameter> all = new ArrayList<>(filters);
        all.add(LIMIT);
        all.add(AFTER);
        return all.toArray(Parameter[]::new);
    }

    /** What a list answers. */
    static Schema schema(String title, Schema item) {
        return Schema.of(title)
                .member("items", Schema.list(item))
                .maybe("next", Schema.text(1_000).meaning("what the next page is asked for with, if there is one"));
    }

    /**
     * The page that is asked for.
     *
     * @param numbered whether ids are numbers
     */
    Answer answer(Ask ask, boolean numbered, Reader<T> reader) {
        int limit = (int) ask.whole("limit", STANDARD);
        // One more, which tells whether there is a next page.
        List<T> found = reader.page(after(ask.text("after"), numbered), limit + 1);
        List<T> items = found.subList(0, Math.min(limit, found.size()));
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("items", items.stream().map(json).toList());
        if (found.size() > limit) {
            page.put("next", word(place.apply(items.get(limit - 1))));
        }
        return Answer.json(page);
    }

    private static String word(Place place) {
        String text = place.at() + " " + place.id();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable Place after(@Nullable String word, boolean numbered) throws Problem {
        if (word == null) {
            return null;
        }
        try {
            String[] parts = new String(Base64.getUrlDecoder().decode(word), StandardCharsets.UTF_8).split(" ", 2);
            if (parts.length == 2 && (!numbered || NUMBER.matcher(parts[1]).matches())) {
                return new Place(Instant.parse(parts[0]), parts[1]);
            }
        } catch (IllegalArgumentException | DateTimeException e) {
            throw unknown(word);
        }
        throw unknown(word);
    }

    private static Problem unknown(String word) {
        return Problem.faulty(
                400,
                "not_valid",
                List.of(new Problem.Fault("after", word, "must be what another page has told as its next")));
    }
}
