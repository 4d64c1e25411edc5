package dev.weir.bench;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs the benchmarks of the decision round by round, so that all see the same machine, and prints what came of them. */
public final class Decide {

    /** The parts of a run, in their order. */
    static final List<String> PARTS = List.of("take", "decision", "flat", "heap");

    private static final String[] HEAP = {"-Xms3g", "-Xmx3g"};

    private final boolean check;
    private final int rounds;
    private final Set<String> parts;
    private final Figures figures = new Figures();

    private Decide(boolean check, int rounds, Set<String> parts) {
        this.check = check;
        this.rounds = rounds;
        this.parts = parts;
    }

    /** Runs as {@code bench/README.md} says. */
    public static void main(String[] args) throws RunnerException, IOException, InterruptedException {
        Map<String, String> options = new HashMap<>(Map.of("--rounds", "3", "--only", String.join(",", PARTS)));
        boolean check = false;
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--check")) {
                check = true;
            } else if (options.containsKey(args[i]) && i + 1 < args.length) {
                options.put(args[i], args[++i]);
            } else {
                throw new IllegalArgumentException("usage: [--check] [--rounds N] [--only take,decision,flat,heap]");
            }
        }
        Set<String> parts =
                new TreeSet<>(Arrays.asList(options.getOrDefault("--only", "").split(",")));
        new Decide(check, Integer.parseInt(options.getOrDefault("--rounds", "3")), parts).run();
    }

    private void run() throws RunnerException, IOException, InterruptedException {
        for (int round = 1; round <= (check ? 1 : rounds); round++) {
            System.err.println("bench/decide: round " + round);
            measure(round);
        }
        Report report = new Report(figures, crowds());
        if (parts.contains("take")) {
            report.take();
        }
        if (parts.contains("decision")) {
            report.decision(crowd(), tools());
        }
        if (parts.contains("flat")) {
            report.flat();
        }
        if (parts.contains("heap")) {
            report.heap(crowd(), tools());
        }
        System.out.println(
                check
                        ? "bench/decide: everything runs, and answers what it should; how fast was not measured"
                        : report.text());
    }

    private void measure(int round) throws RunnerException {
        for (int threads = 1; threads <= 2; threads++) {
            if (parts.contains("take")) {
                figures.add(
                        run(options("OneTake", "take-" + round + "-" + threads).threads(threads)));
            }
            if (parts.contains("decision")) {
                figures.add(run(options("(Decision|Rivals)", "decision-" + round + "-" + threads)
                        .param("principals", Integer.toString(crowd()))
                        .param("tools", Integer.toString(tools()))
                        .threads(threads)));
            }
        }
        if (parts.contains("flat")) {
            String[] crowds = crowds().stream().map(String::valueOf).toArray(String[]::new);
            figures.add(run(options("(Decision.admitted|Rivals.lookUp)", "flat-" + round)
                    .param("principals", crowds)
                    .param("tools", "1")
                    .threads(1)));
        }
    }

    /** How many principals call in random order. */
    private int crowd() {
        return check ? 100 : 100_000;
    }

    private static int tools() {
        return 10;
    }

    private List<Integer> crowds() {
        return check ? List.of(10, 100) : List.of(1_000, 10_000, 100_000, 1_000_000);
    }

    private ChainedOptionsBuilder options(String benchmarks, String log) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("dev\\.weir\\.bench\\." + benchmarks)
                .addProfiler(GCProfiler.class)
                .addProfiler(CpuProfiler.class)
                .shouldFailOnError(true)
                .output("target/" + log + ".log");
        // A check has no processes of its own: it is only to show that everything runs and answers what it should.
        return check
                ? options.forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(20))
                : options.forks(1)
                        .jvmArgs(HEAP)
                        .warmupIterations(5)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(5)
                        .measurementTime(TimeValue.seconds(1));
    }

    private static Collection<RunResult> run(ChainedOptionsBuilder options) throws RunnerException {
        return new Runner(options.build()).run();
    }
}
