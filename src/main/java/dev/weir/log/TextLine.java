package dev.weir.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * One line for people: when, how bad, what, and the rest as {@code name=value}, quoted where it would be unclear else. What a
 * terminal does not print is written as an escape. A stack trace follows on lines of its own, which begin with blanks, as no
 * other line does.
 */
final class TextLine implements LineForm {

    private static final String INDENT = "    ";

    @Override
    public void write(ILoggingEvent event, ByteArrayOutputStream out) {
        Map<String, Object> fields = LineFields.of(event);
        StringBuilder line = new StringBuilder(256);
        line.append(fields.remove(LineFields.TIME)).append(' ');
        String level = String.valueOf(fields.remove(LineFields.LEVEL));
        line.append(level).append(" ".repeat(Math.max(1, 6 - level.length())));
        line.append(shown(String.valueOf(fields.remove(LineFields.EVENT))));
        fields.remove("logger");
        Object trace = fields.remove(LineFields.STACK_TRACE);
        fields.forEach((name, value) -> field(line, name, value));
        line.append('\n');
        if (trace != null) {
            trace.toString().lines().forEach(one -> {
                line.append(INDENT);
                escaped(line, one.replace("\t", "  "));
                line.append('\n');
            });
        }
        out.writeBytes(line.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void field(StringBuilder line, String name, Object value) {
        if (value instanceof Map<?, ?> inner) {
            inner.forEach((more, text) -> field(line, name + "." + more, text));
        } else {
            line.append(' ').append(shown(name)).append('=').append(shown(String.valueOf(value)));
        }
    }

    private static String shown(String text) {
        boolean plain = !text.isEmpty() && text.chars().allMatch(c -> c > ' ' && c < 0x7f && "\"=\\".indexOf(c) < 0);
        if (plain) {
            return text;
        }
        StringBuilder quoted = new StringBuilder("\"");
        escaped(quoted, text.replace("\\", "\\\\").replace("\"", "\\\""));
        return quoted.append('"').toString();
    }

    private static void escaped(StringBuilder to, String text) {
        text.codePoints().forEach(c -> {
            if (c == '\n') {
                to.append("\\n");
            } else if (c == '\r') {
                to.append("\\r");
            } else if (c == '\t') {
                to.append("\\t");
            } else if (isPrinted(c)) {
                to.appendCodePoint(c);
            } else {
                to.append(String.format(c > 0xffff ? "\\u{%x}" : "\\u%04x", c));
            }
        });
    }

    /** Not what moves the cursor, ends a line, changes the direction of writing or is no character at all. */
    private static boolean isPrinted(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
