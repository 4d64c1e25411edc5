package dev.weir.web;

import dev.weir.log.SecretText;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * A body as the log shows it, without what looks like a secret: JSON, events with JSON in them, or any text. It reads no more
 * of JSON than where strings and their names are, so a body that is broken, or cut, is masked like a whole one.
 *
 * <p>Masked are the values of members whose names say that they are secret, whatever they are; the credentials that the request
 * has brought itself; and what {@link SecretText#maskFree} takes for a secret. Time in proportion to the body. For one body.
 */
final class BodyMask {

    /** So many strings within strings are looked into; what lies deeper is masked as a whole. */
    private static final int DEEPEST = 3;

    private final String body;
    private final Collection<String> credentials;
    private final int depth;
    private final StringBuilder masked;
    private int at;
    private @Nullable String name;

    /** Whether the value before was the name of a secret, whose value may be the next. */
    private boolean announced;

    private BodyMask(String body, Collection<String> credentials, int depth) {
        this.body = body;
        this.credentials = credentials;
        this.depth = depth;
        this.masked = new StringBuilder(body.length() + 16);
    }

    /**
     * Masks a body.
     *
     * @param credentials what the request has brought to prove who sends it
     */
    static String of(String body, Collection<String> credentials) {
        return new BodyMask(body, credentials, 0).masked();
    }

    private String masked() {
        while (at < body.length()) {
            char c = body.charAt(at);
            if (c == '"') {
                string();
            } else if ((c == '{' || c == '[') && isSecret()) {
                skipNested();
                mask();
            } else if ("{}[],".indexOf(c) >= 0) {
                name = null;
                masked.append(c);
                at++;
            } else if (c == ':' || c <= ' ') {
                masked.append(c);
                at++;
            } else {
                bare();
            }
        }
        return masked.toString();
    }

    private boolean isSecret() {
        return name != null && (SecretText.isSecretName(name) || (announced && name.equalsIgnoreCase("value")));
    }

    private void mask() {
        masked.append('"').append(SecretText.MASK).append('"');
        name = null;
    }

    /** A string: the name of what comes next if a colon follows, else a value. */
    private void string() {
        int start = at;
        int end = endOfString(start);
        boolean closed = end < body.length();
        String text = unescaped(start + 1, end);
        at = closed ? end + 1 : end;
        if (closed && isNext(':')) {
            name = text;
            said(text, start);
        } else if (isSecret()) {
            mask();
        } else {
            said(text, start);
            announced = SecretText.isSecretName(text);
            name = null;
        }
    }

    /** A string as it was written if there is nothing to be masked in it. */
    private void said(String text, int start) {
        String rest = inside(text);
        if (rest.equals(text)) {
            masked.append(body, start, at);
        } else {
            masked.append('"').append(escaped(rest)).append('"');
        }
    }

    private String inside(String text) {
        String without = SecretText.maskFree(SecretText.maskKnown(text, credentials));
        if (without.indexOf('"') < 0) {
            return without;
        }
        return depth == DEEPEST ? SecretText.MASK : new BodyMask(without, credentials, depth + 1).masked();
    }

    /** What stands outside of strings: a number, a word of JSON, or anything at all. */
    private void bare() {
        int start = at;
        while (at < body.length() && "\"{}[],".indexOf(body.charAt(at)) < 0) {
            at++;
        }
        if (isSecret()) {
            mask();
        } else {
            masked.append(SecretText.maskFree(SecretText.maskKnown(body.substring(start, at), credentials)));
        }
    }

    /** Passes an object or a list with all that is in it; to the end, if it has none. */
    private void skipNested() {
        int open = 0;
        do {
            char c = body.charAt(at);
            if (c == '"') {
                at = endOfString(at);
            } else if (c == '{' || c == '[') {
                open++;
            } else if (c == '}' || c == ']') {
                open--;
            }
            at++;
        } while (open > 0 && at < body.length());
        at = Math.min(at, body.length());
    }

    /** Where the quotation mark is that ends a string; the end of the body if none does. */
    private int endOfString(int start) {
        int i = start + 1;
        while (i < body.length() && body.charAt(i) != '"') {
            i += body.charAt(i) == '\\' ? 2 : 1;
        }
        return Math.min(i, body.length());
    }

    private boolean isNext(char wanted) {
        int i = at;
        while (i < body.length() && body.charAt(i) <= ' ') {
            i++;
        }
        return i < body.length() && body.charAt(i) == wanted;
    }

    private String unescaped(int from, int to) {
        StringBuilder text = new StringBuilder(to - from);
        int i = from;
        while (i < to) {
            char c = body.charAt(i);
            if (c != '\\' || i + 1 >= to) {
                text.append(c);
                i++;
                continue;
            }
            char escape = body.charAt(i + 1);
            i += 2;
            if (escape == 'u' && i + 4 <= to) {
                int code = hex(i);
                text.append(code < 0 ? "\uFFFD" : String.valueOf((char) code));
                i += 4;
            } else {
                text.append(
                        switch (escape) {
                            case 'n' -> '\n';
                            case 'r' -> '\r';
                            case 't' -> '\t';
                            case 'b' -> '\b';
                            case 'f' -> '\f';
                            default -> escape;
                        });
            }
        }
        return text.toString();
    }

    private int hex(int from) {
        int code = 0;
        for (int i = from; i < from + 4; i++) {
            int digit = Character.digit(body.charAt(i), 16);
            if (digit < 0) {
                return -1;
            }
            code = code * 16 + digit;
        }
        return code;
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n")
                .replace("\r", "\\r")
                .replace("\t", "\\t");
    }
}
