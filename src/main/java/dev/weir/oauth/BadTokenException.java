package dev.weir.oauth;

/** Says in words that may be told to its bearer why a token is not good. Costs no more than the words. */
final class BadTokenException extends Exception {

    private final String why;

    BadTokenException(String why) {
        super(why, null, false, false);
        this.why = why;
    }

    String why() {
        return why;
    }
}
