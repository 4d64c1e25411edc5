package dev.weir.web;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * How much the lines of a request tell.
 *
 * @param bodies          whether they show short bodies
 * @param responseHeaders the header fields of answers that they show, in lower case
 */
public record LogDetail(boolean bodies, List<String> responseHeaders) {

    private static final Pattern TOKEN = Pattern.compile("[a-z0-9!#$%&'*+.^_`|~-]+");

    /**
     * What an operator has chosen.
     *
     * @param names names of header fields, in any case
     * @throws IllegalArgumentException if one is none by the rules of HTTP
     */
    public static LogDetail of(boolean bodies, Collection<String> names) {
        List<String> lower = names.stream()
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .sorted()
                .toList();
        for (String name : lower) {
            if (!TOKEN.matcher(name).matches()) {
                throw new IllegalArgumentException("[" + name + "] is no name of a header field");
            }
        }
        return new LogDetail(bodies, lower);
    }
}
