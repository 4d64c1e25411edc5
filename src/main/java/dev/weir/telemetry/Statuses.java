package dev.weir.telemetry;

/** The classes of status codes, as they are written where a single code would be too much. */
final class Statuses {

    private static final String[] WORDS = {"other", "1xx", "2xx", "3xx", "4xx", "5xx"};

    private Statuses() {}

    static String word(int status) {
        int hundreds = status / 100;
        return hundreds >= 1 && hundreds <= 5 ? WORDS[hundreds] : WORDS[0];
    }
}
