package dev.weir.policy.table;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Something that a row of {@code setting} may set. Immutable.
 *
 * @param values  what it may be, as something else than text
 * @param unit    what it is counted in; empty if it is no quantity
 * @param meaning what it says, for people
 * @param effect  what happens if it is changed, for people
 */
public record Setting(String name, Values values, String unit, String meaning, String effect) {

    /** The longest text that is read as a number. */
    private static final int LONGEST_NUMBER = 40;

    private static final String NUMBER = "[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]{1,3})?";

    /** What is wrong with what it is to be set to, as a sentence that begins after its name; null if nothing is. */
    public @Nullable String fault(String content) {
        String text = content.strip();
        return switch (values.type()) {
            case WHOLE ->
                text.matches("[+-]?[0-9]{1,18}") ? values.fault(Long.valueOf(text)) : "must be a whole number";
            case NUMBER -> numberFault(text);
            default -> values.fault(text);
        };
    }

    private @Nullable String numberFault(String text) {
        return text.length() <= LONGEST_NUMBER && text.matches(NUMBER)
                ? values.fault(new BigDecimal(text))
                : "must be a number";
    }
}
