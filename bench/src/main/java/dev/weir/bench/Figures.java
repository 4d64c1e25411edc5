package dev.weir.bench;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/**
 * What was measured, round by round. Of a round, the median of its iterations counts, because a compilation or a collection
 * that falls into one is not what is asked about; of the rounds, their median again.
 */
final class Figures {

    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private final Map<String, List<Double>> nanos = new TreeMap<>();
    private final Map<String, List<Double>> wall = new TreeMap<>();
    private final Map<String, List<Double>> bytes = new TreeMap<>();

    /** The name of a figure: {@code OneTake.weir purse=DRY threads=2}. */
    static String name(String benchmark, String params, int threads) {
        return benchmark + " " + params + " threads=" + threads;
    }

    void add(Collection<RunResult> round) {
        for (RunResult run : round) {
            String name = name(run.getParams());
            add(wall, name, run.getPrimaryResult());
            add(nanos, name, run.getSecondaryResults().get(CpuProfiler.CPU));
            add(bytes, name, run.getSecondaryResults().get(ALLOCATED));
        }
    }

    /** Nanoseconds of processor time an operation. */
    double nanos(String name) {
        List<Double> rounds = rounds(nanos, name);
        return median(rounds.size(), rounds::get);
    }

    /** How many times as long as its processor time an operation took: the more, the busier the machine was with others. */
    double crowding() {
        double[] all = nanos.keySet().stream()
                .mapToDouble(
                        name -> rounds(wall, name).get(0) / rounds(nanos, name).get(0))
                .sorted()
                .toArray();
        return all.length == 0 ? 1 : all[all.length / 2];
    }

    /** Bytes allocated an operation. */
    double bytes(String name) {
        List<Double> rounds = rounds(bytes, name);
        return median(rounds.size(), rounds::get);
    }

    /** How many times the processor time of another it takes, in the same round. */
    double ratio(String name, String other) {
        List<Double> ours = rounds(nanos, name);
        List<Double> theirs = rounds(nanos, other);
        return median(Math.min(ours.size(), theirs.size()), round -> ours.get(round) / theirs.get(round));
    }

    /**
     * How much dearer something has become by growing, beyond what a bare look-up has: what it takes now, in what it would take
     * if it had grown by as many nanoseconds as the look-up.
     */
    double growth(String small, String large, String smallLookUp, String largeLookUp) {
        return median(
                rounds(nanos, large).size(),
                round -> rounds(nanos, large).get(round)
                        / (rounds(nanos, small).get(round)
                                + rounds(nanos, largeLookUp).get(round)
                                - rounds(nanos, smallLookUp).get(round)));
    }

    private static List<Double> rounds(Map<String, List<Double>> figures, String name) {
        List<Double> rounds = figures.get(name);
        if (rounds == null) {
            throw new IllegalStateException("nothing was measured of " + name + ", but of " + figures.keySet());
        }
        return rounds;
    }

    private static void add(Map<String, List<Double>> figures, String name, @Nullable Result<?> result) {
        if (result == null) {
            throw new IllegalStateException("a profiler said nothing of " + name);
        }
        figures.computeIfAbsent(name, n -> new ArrayList<>())
                .add(result.getStatistics().getPercentile(50));
    }

    private static String name(BenchmarkParams run) {
        String benchmark = run.getBenchmark().substring("dev.weir.bench.".length());
        List<String> params = new ArrayList<>();
        for (String key : run.getParamsKeys()) {
            params.add(key + "=" + run.getParam(key));
        }
        return name(benchmark, String.join(" ", params), run.getThreads());
    }

    private static double median(int rounds, IntToDoubleFunction figure) {
        double[] sorted =
                IntStream.range(0, rounds).mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
