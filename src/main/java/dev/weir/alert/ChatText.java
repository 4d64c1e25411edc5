package dev.weir.alert;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An alert in the words of a chat. Signs that some chat takes for a link, a mention or markup are replaced by their wide forms,
 * because their dialects of Markdown know no escapes that all of them keep to: so nobody whom an alert speaks of can call a whole group, or
 * put a link into its chat.
 */
final class ChatText {

    /** What every title begins with; robots that want to see a certain word can be told to look for this one. */
    static final String SENDER = "Weir: ";

    private static final String SIGNS = "<>[]()*`~#!|\\@&{}";

    /** From a sign of ASCII to its wide form. */
    private static final int WIDER = 0xFEE0;

    private ChatText() {}

    /** The title of an alert, with its sender. */
    static String title(Alert alert) {
        return SENDER + alert.news().title();
    }

    /** What else an alert says, line by line: the names of fields and their values. */
    static List<String> details(Alert alert) {
        List<String> lines = new ArrayList<>();
        alert.news().fields().forEach((name, value) -> lines.add(name + ": " + text(value)));
        if (alert.repeated() > 0) {
            lines.add("held back before: " + alert.repeated());
        }
        lines.add("severity: " + alert.news().event().severity().word());
        lines.add("event: " + alert.news().event().word());
        lines.add("node: " + alert.node());
        lines.add("time: " + alert.time());
        return lines;
    }

    private static String text(Object value) {
        return value instanceof List<?> values
                ? values.stream().map(String::valueOf).collect(Collectors.joining("; "))
                : String.valueOf(value);
    }

    /** A text in which nothing means anything to a chat. */
    static String harmless(String text) {
        StringBuilder harmless = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean sign = SIGNS.indexOf(c) >= 0 || (c == ':' && text.startsWith("//", i + 1));
            harmless.append(sign ? (char) (c + WIDER) : c);
        }
        return harmless.toString();
    }
}
