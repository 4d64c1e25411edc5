package dev.weir.limit;

/**
 * How long the tests run that repeat something many times: as written, or a part of it, where all tests are run over and over,
 * once for each mutant of the code.
 */
public final class Effort {

    /** Tests that let many threads loose on a bucket, which say nothing more about a mutant than a single thread does. */
    public static final String STORM = "storm";

    private static final int PART = Integer.getInteger("weir.test.part", 1);

    private Effort() {}

    /** So many rounds, or fewer in the same measure as everywhere. */
    public static int of(int rounds) {
        return Math.max(1, rounds / PART);
    }
}
