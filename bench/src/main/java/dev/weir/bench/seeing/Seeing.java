package dev.weir.bench.seeing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Runs the same load against several Weirs in turn, each of them seen in another way, and prints what each costs beside the first.
 * Arguments: the WAR, rounds, seconds of load in each, connections, a WAR of before or {@code -}, and options for the JVMs.
 */
public final class Seeing {

    private static final Duration WARM_UP = Duration.ofSeconds(10);
    private static final double NANOS_PER_MICRO = 1e3;

    /** What one round has shown of one of them. */
    private record Round(double cpuMicros, double perSecond, double medianMicros, double p99Micros) {}

    private Seeing() {}

    /** Measures and prints, as Markdown. */
    public static void main(String[] arguments) throws Exception {
        String war = arguments[0];
        int rounds = Integer.parseInt(arguments[1]);
        Duration time = Duration.ofSeconds(Integer.parseInt(arguments[2]));
        int connections = Integer.parseInt(arguments[3]);
        String before = arguments[4];
        List<String> options = List.of(arguments).subList(5, arguments.length);
        Map<Subject, List<Round>> shown = new LinkedHashMap<>();
        try (Ends ends = new Ends()) {
            try {
                for (Subject subject : subjects(war, before, ends, options)) {
                    shown.put(subject, new ArrayList<>());
                    Load.run(
                            subject.port(),
                            connections,
                            Duration.ofSeconds(Math.min(WARM_UP.toSeconds(), time.toSeconds() * 2)));
                }
                for (int round = 0; round < rounds; round++) {
                    List<Subject> order = new ArrayList<>(shown.keySet());
                    // Whoever comes first in each round would get the quietest, or the loudest, moments.
                    Collections.rotate(order, round);
                    for (Subject subject : order) {
                        Round shownNow = measured(subject, connections, time);
                        shown.computeIfAbsent(subject, one -> new ArrayList<>()).add(shownNow);
                    }
                }
                print(shown);
                System.out.println("\nThe collector got " + ends.spanBytes() / 1_000 + " kB of spans.");
            } finally {
                shown.keySet().forEach(Subject::close);
            }
        }
    }

    private static List<Subject> subjects(String war, String before, Ends ends, List<String> options) throws Exception {
        List<Subject> subjects = new ArrayList<>();
        List<String> silent = new ArrayList<>(options);
        silent.add("-Dweir.log.level=OFF");
        Map<String, String> collector = Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", ends.collector());
        Map<String, String> unsampled = new LinkedHashMap<>(collector);
        unsampled.put("OTEL_TRACES_SAMPLER", "always_off");
        subjects.add(Subject.start("no log, no traces", war, ends, silent, Map.of()));
        subjects.add(Subject.start("log", war, ends, options, Map.of()));
        subjects.add(Subject.start("traces, none sampled", war, ends, silent, unsampled));
        subjects.add(Subject.start("traces", war, ends, silent, collector));
        subjects.add(Subject.start("log and traces", war, ends, options, collector));
        if (!before.equals("-")) {
            subjects.add(Subject.start("the WAR of before, no log", before, ends, silent, Map.of()));
        }
        return subjects;
    }

    private static Round measured(Subject subject, int connections, Duration time) throws Exception {
        Duration used = subject.cpu();
        Load.Result result = Load.run(subject.port(), connections, time);
        double cpu = subject.cpu().minus(used).toNanos() / NANOS_PER_MICRO / result.calls();
        return new Round(
                cpu,
                result.calls() * 1e9 / result.time().toNanos(),
                result.median().toNanos() / NANOS_PER_MICRO,
                result.p99().toNanos() / NANOS_PER_MICRO);
    }

    private static void print(Map<Subject, List<Round>> shown) {
        List<Round> first = shown.values().iterator().next();
        System.out.println(
                "| Weir with | processor µs a call | ratio | calls/s | ratio | median µs | ratio | p99 µs | ratio |");
        System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        shown.forEach((subject, rounds) -> System.out.println("| " + subject.name()
                + cell(rounds, first, Round::cpuMicros)
                + cell(rounds, first, Round::perSecond)
                + cell(rounds, first, Round::medianMicros)
                + cell(rounds, first, Round::p99Micros)
                + " |"));
    }

    /** The median over the rounds, and the median of the ratios to the first in the same round. */
    private static String cell(List<Round> rounds, List<Round> first, ToDoubleFunction<Round> figure) {
        List<Double> figures = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < rounds.size(); i++) {
            double value = figure.applyAsDouble(rounds.get(i));
            figures.add(value);
            ratios.add(value / figure.applyAsDouble(first.get(i)));
        }
        return String.format(Locale.ROOT, " | %.0f | %.2f", median(figures), median(ratios));
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return (sorted.get((sorted.size() - 1) / 2) + sorted.get(sorted.size() / 2)) / 2;
    }
}
