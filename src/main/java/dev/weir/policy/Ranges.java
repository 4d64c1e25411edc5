package dev.weir.policy;

/** Whole numbers that have a least and a greatest value. */
final class Ranges {

    private Ranges() {}

    /** @throws IllegalArgumentException if the value is out of its range; the message names the column, the value and the range */
    static int check(String column, int value, int least, int greatest) {
        if (value < least || value > greatest) {
            throw new IllegalArgumentException(
                    column + " must be from " + least + " to " + greatest + ", not " + value);
        }
        return value;
    }
}
