package dev.weir.bench;

import dev.weir.auth.Caller;
import java.lang.invoke.VarHandle;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Many principals, each calling several tools, in an order that no branch predictor and no cache can learn. */
@State(Scope.Benchmark)
public class Crowd {

    private static final int STEPS = 1 << 22;

    @Param("100000")
    public int principals;

    @Param("10")
    public int tools;

    private Caller[] all = {};
    private int[] order = {};

    @Setup
    public void gather() {
        all = IntStream.range(0, principals).mapToObj(House::caller).toArray(Caller[]::new);
        SplittableRandom random = new SplittableRandom(20_261_130);
        order = random.ints(STEPS, 0, pairs()).toArray();
    }

    /**
     * The numbers from 0 to below {@code count}, in an order of no meaning: that in which whatever belongs to them is to be made.
     * Made one after the other, the objects of one principal would lie side by side in the heap, as they never do in a life.
     */
    static int[] shuffled(int count) {
        int[] numbers = IntStream.range(0, count).toArray();
        SplittableRandom random = new SplittableRandom(count);
        for (int i = count - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int number = numbers[i];
            numbers[i] = numbers[other];
            numbers[other] = number;
        }
        return numbers;
    }

    /** Puts what has been made where it will lie for long, so that nothing is measured among what is new. */
    static void settle() {
        System.gc();
    }

    /** How many pairs of a principal and a tool there are. */
    int pairs() {
        return principals * tools;
    }

    Caller caller(int pair) {
        return all[pair / tools];
    }

    int tool(int pair) {
        return pair % tools;
    }

    /** One thread's way through the crowd. */
    @State(Scope.Thread)
    public static class Walk {

        private int at;

        /** Lets every thread begin somewhere else. */
        @Setup
        public void begin() {
            at = System.identityHashCode(this);
        }

        /**
         * The next pair of a principal and a tool. Nothing about it begins before the one before has been dealt with: the requests
         * of a server are far apart, while the processor would fetch for several short look-ups at a time.
         */
        int next(Crowd crowd) {
            VarHandle.fullFence();
            at = (at + 1) & (STEPS - 1);
            return crowd.order[at];
        }
    }
}
