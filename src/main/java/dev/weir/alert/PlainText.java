package dev.weir.alert;

/** Text as people may be shown it: on one line, of a bounded length, and with nothing in it that turns the text around. */
final class PlainText {

    private static final String CUT = "…";

    private PlainText() {}

    /**
     * What is left of a text: control characters, breaks of lines and marks of direction become blanks, halves of characters become
     * the replacement character, and what is too long is cut.
     *
     * @param most characters of the result, the sign of the cut too
     */
    static String of(String text, int most) {
        StringBuilder plain = new StringBuilder(Math.min(text.length(), most) + 1);
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            plain.appendCodePoint(shown(c));
            if (plain.length() > most) {
                return cut(plain.toString(), most);
            }
        }
        return plain.toString();
    }

    /** The same text if it is short enough, else its beginning; never half a character. */
    static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = most - CUT.length();
        if (Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end) + CUT;
    }

    private static int shown(int c) {
        return switch (Character.getType(c)) {
            case Character.SURROGATE -> 0xFFFD;
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.FORMAT -> ' ';
            default -> c;
        };
    }
}
