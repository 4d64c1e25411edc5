package dev.weir.bench;

import dev.weir.auth.Caller;
import dev.weir.gate.Verdict;
import dev.weir.limit.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The whole decision over all four levels, for many principals in random order. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Decision {

    /** A house that has seen everybody of a crowd before, and answers all of them alike. */
    @State(Scope.Benchmark)
    public abstract static class Opened {

        private static final int OTHER_BANS = 1_000;

        private final Purse purse;
        private final boolean ban;
        private final String expected;
        private House house = new House(0, Purse.NEVER_DRY, List.of());

        Opened(Purse purse, boolean ban, String expected) {
            this.purse = purse;
            this.ban = ban;
            this.expected = expected;
        }

        /** Bans everybody of the crowd, or else others, so that a look into the book of bans is never one into an empty book. */
        @Setup
        public void open(Crowd crowd) {
            IntStream numbers = ban
                    ? Arrays.stream(Crowd.shuffled(crowd.principals))
                    : IntStream.range(crowd.principals, crowd.principals + OTHER_BANS);
            List<String> banned =
                    numbers.mapToObj(number -> House.key(House.caller(number))).toList();
            house = new House(crowd.tools, purse, banned);
            for (int pair : Crowd.shuffled(crowd.pairs())) {
                var unused = decide(crowd, pair);
            }
            close(crowd);
            Crowd.settle();
        }

        /** Makes sure that what was measured was judged as it should be, to the end. */
        @TearDown
        public void close(Crowd crowd) {
            String kind = House.kind(decide(crowd, crowd.pairs() - 1));
            if (!kind.equals(expected)) {
                throw new IllegalStateException(kind + " and not " + expected);
            }
        }

        Verdict decide(Crowd crowd, int pair) {
            return house.decide(crowd.caller(pair), crowd.tool(pair));
        }

        boolean isBanned(Crowd crowd, int pair) {
            return house.isBanned(crowd.caller(pair));
        }

        Outcome take(Crowd crowd, int pair) {
            Caller caller = crowd.caller(pair);
            return house.take(caller, crowd.tool(pair));
        }
    }

    /** Where everybody is admitted. */
    public static class Admitting extends Opened {
        public Admitting() {
            super(Purse.NEVER_DRY, false, "Admit");
        }
    }

    /** Where everybody's tools are dry. */
    public static class Throttling extends Opened {
        public Throttling() {
            super(Purse.DRY, false, "Throttle");
        }
    }

    /** Where everybody is banned. */
    public static class Banning extends Opened {
        public Banning() {
            super(Purse.NEVER_DRY, true, "Shut");
        }
    }

    @Benchmark
    public Verdict admitted(Crowd crowd, Crowd.Walk walk, Admitting house) {
        return house.decide(crowd, walk.next(crowd));
    }

    @Benchmark
    public Verdict throttled(Crowd crowd, Crowd.Walk walk, Throttling house) {
        return house.decide(crowd, walk.next(crowd));
    }

    @Benchmark
    public Verdict banned(Crowd crowd, Crowd.Walk walk, Banning house) {
        return house.decide(crowd, walk.next(crowd));
    }

    /** The one look-up that a banned call costs, in the book of bans itself, whose rows are larger than a bare map's. */
    @Benchmark
    public boolean findBan(Crowd crowd, Crowd.Walk walk, Banning house) {
        return house.isBanned(crowd, walk.next(crowd));
    }

    /** What the room {@code limit} has in it, for the tool's level alone. */
    @Benchmark
    public Outcome oneTake(Crowd crowd, Crowd.Walk walk, Admitting house) {
        return house.take(crowd, walk.next(crowd));
    }
}
