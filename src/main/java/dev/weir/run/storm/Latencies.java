package dev.weir.run.storm;

import java.util.Arrays;

/** How long calls took, every one of them, to the microsecond. Not safe for use by many threads. */
final class Latencies {

    private static final int NANOS_PER_MICRO = 1000;
    private static final double MICROS_PER_MILLI = 1000;

    private int[] micros = new int[256];
    private int count;

    void add(long nanos) {
        if (count == micros.length) {
            micros = Arrays.copyOf(micros, count * 2);
        }
        micros[count++] = (int) Math.min(nanos / NANOS_PER_MICRO, Integer.MAX_VALUE);
    }

    boolean isEmpty() {
        return count == 0;
    }

    /**
     * The time in milliseconds that so many percent of the calls did not exceed, by nearest rank: always one that was
     * measured, and the longest at 100.
     *
     * @param percent from 1 to 100
     * @throws IllegalStateException if nothing was measured
     */
    double millis(int percent) {
        if (isEmpty()) {
            throw new IllegalStateException("no call was measured");
        }
        int[] sorted = Arrays.copyOf(micros, count);
        Arrays.sort(sorted);
        int rank = (int) (((long) count * percent + 99) / 100);
        return sorted[rank - 1] / MICROS_PER_MILLI;
    }
}
