package dev.weir.web;

import dev.weir.log.SecretText;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/** A query as the log shows it: which parameters there were, and none of their values. */
final class QueryMask {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.\\[\\]-]{1,40}");
    private static final int MOST_PARTS = 20;

    private QueryMask() {}

    /** The names, each with a mask for its value; what has no name, or one that might be a value itself, is all mask. */
    static String of(String query) {
        StringJoiner masked = new StringJoiner("&");
        int from = 0;
        for (int parts = 0; from <= query.length(); parts++) {
            if (parts == MOST_PARTS) {
                return masked.add("…").toString();
            }
            int and = query.indexOf('&', from);
            int end = and < 0 ? query.length() : and;
            masked.add(part(query, from, end));
            from = end + 1;
        }
        return masked.toString();
    }

    private static String part(String query, int from, int end) {
        int equals = query.indexOf('=', from);
        if (equals < 0 || equals >= end || equals - from > 40) {
            return SecretText.MASK;
        }
        String name = query.substring(from, equals);
        boolean told = NAME.matcher(name).matches() && SecretText.maskFree(name).equals(name);
        return (told ? name : SecretText.MASK) + "=" + SecretText.MASK;
    }
}
