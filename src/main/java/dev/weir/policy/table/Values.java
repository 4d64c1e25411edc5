package dev.weir.policy.table;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The values that may stand in a column, null aside. Immutable.
 *
 * @param type    what they are: a {@link String}, a {@link Long}, a {@link BigDecimal}, a {@link Boolean} or an {@link Instant}
 * @param longest the most characters of a text; 0 for the others
 * @param least   the least of a number; null if there is none
 * @param most    the greatest of a number; null if there is none
 * @param words   the only ones that there are; empty for any
 * @param form    what a text has to look like; null for anything
 */
public record Values(
        Type type,
        int longest,
        @Nullable BigDecimal least,
        @Nullable BigDecimal most,
        List<String> words,
        @Nullable Form form) {

    /** The greatest whole number that every reader of JSON keeps exactly. */
    public static final long GREATEST = 9_007_199_254_740_991L;

    /** What a value is. */
    public enum Type {
        TEXT,
        WHOLE,
        NUMBER,
        FLAG,
        TIME
    }

    /**
     * What a text has to look like.
     *
     * @param pattern is found in it
     * @param rule    the same for people, as a sentence that begins after the column's name
     */
    public record Form(Pattern pattern, String rule) {

        private static final Form NOT_BLANK = new Form(Pattern.compile("\\S"), "must not be blank");

        static Form of(String pattern, String rule) {
            return new Form(Pattern.compile(pattern), rule);
        }
    }

    /** How many digits a number may have after the point. */
    private static final int DECIMALS = 6;

    /** Keeps the words as they are now. */
    public Values {
        words = List.copyOf(words);
    }

    static Values text(int longest) {
        return new Values(Type.TEXT, longest, null, null, List.of(), null);
    }

    /** A text that is not only blanks. */
    static Values name(int longest) {
        return text(longest).like(Form.NOT_BLANK);
    }

    static Values oneOf(String... words) {
        return new Values(Type.TEXT, 16, null, null, List.of(words), null);
    }

    static Values whole(long least, long most) {
        return new Values(Type.WHOLE, 0, BigDecimal.valueOf(least), BigDecimal.valueOf(most), List.of(), null);
    }

    static Values number(long least, long most) {
        return new Values(Type.NUMBER, 0, BigDecimal.valueOf(least), BigDecimal.valueOf(most), List.of(), null);
    }

    static Values flag() {
        return new Values(Type.FLAG, 0, null, null, List.of(), null);
    }

    static Values time() {
        return new Values(Type.TIME, 0, null, null, List.of(), null);
    }

    Values like(Form wanted) {
        return new Values(type, longest, least, most, words, wanted);
    }

    /** What is wrong with a value of this type, as a sentence that begins after its name; null if nothing is. */
    public @Nullable String fault(Object value) {
        return switch (type) {
            case TEXT -> textFault((String) value);
            case WHOLE -> numberFault(BigDecimal.valueOf((Long) value));
            case NUMBER -> numberFault((BigDecimal) value);
            case FLAG, TIME -> null;
        };
    }

    private @Nullable String textFault(String text) {
        if (!words.isEmpty()) {
            return words.contains(text) ? null : "must be one of " + String.join(", ", words);
        }
        if (text.length() > longest) {
            return "must have at most " + longest + " characters";
        }
        if (text.codePoints().anyMatch(Values::cannotBeStored)) {
            return "must not have a NUL or half a surrogate pair in it";
        }
        return form == null || form.pattern().matcher(text).find() ? null : form.rule();
    }

    private static boolean cannotBeStored(int point) {
        return point == 0 || (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
    }

    private @Nullable String numberFault(BigDecimal number) {
        if (least != null && number.compareTo(least) < 0) {
            return "must be at least " + least;
        }
        if (most != null && number.compareTo(most) > 0) {
            return "must be at most " + most;
        }
        return number.signum() != 0 && number.stripTrailingZeros().scale() > DECIMALS
                ? "must have at most " + DECIMALS + " digits after the point"
                : null;
    }
}
