package dev.weir.bench;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** What was measured, as Markdown: first the figures, then the goals. */
final class Report {

    private static final String[][] TAKERS = {
        {"weirBare", "Weir, the bucket alone"},
        {"weir", "Weir, by its port"},
        {"bucket4j", "Bucket4j, lock-free"},
        {"bucket4jNanos", "Bucket4j, lock-free, clock of nanoseconds"},
        {"bucket4jProbe", "Bucket4j, lock-free, telling what is left"},
        {"bucket4jSynchronized", "Bucket4j, synchronized"},
        {"resilience4j", "Resilience4j"},
        {"guava", "Guava"},
        {"clock", "(reading the clock)"}
    };

    private static final String[][] DECIDERS = {
        {"Decision.admitted", "**Weir, admitted, four levels**"},
        {"Decision.throttled", "**Weir, throttled by the tool**"},
        {"Decision.banned", "**Weir, banned**"},
        {"Decision.findBan", "(finding the ban, and nothing else)"},
        {"Decision.oneTake", "Weir, one take, no decision"},
        {"Rivals.bucket4jInCaffeine", "Bucket4j in Caffeine, one take"},
        {"Rivals.bucket4jInMap", "Bucket4j in a ConcurrentHashMap, one take"},
        {"Rivals.resilience4jInMap", "Resilience4j in a ConcurrentHashMap, one take"},
        {"Rivals.guavaInMap", "Guava in a ConcurrentHashMap, one take"},
        {"Rivals.lookUp", "(one look-up of the principal)"}
    };

    private final Figures figures;
    private final List<Integer> crowds;
    private final StringBuilder tables = new StringBuilder();
    private final StringBuilder goals =
            new StringBuilder("## Goals\n\n| goal | at most | measured | |\n|---|--:|--:|---|\n");

    /** @param crowds how many principals there were where it is measured whether the cost is flat, the fewest first */
    Report(Figures figures, List<Integer> crowds) {
        this.figures = figures;
        this.crowds = crowds;
    }

    String text() {
        String busy = String.format(
                Locale.ROOT,
                "Processor time an operation. On the clock it took %.1f times as long, for want of a processor.%n%n",
                figures.crowding());
        return busy + tables + "\n" + goals;
    }

    void take() {
        head("One take from one bucket, ns (in Bucket4j's, lock-free)");
        line("", "admits, 1 thread", "admits, 2 threads", "refuses, 1 thread", "refuses, 2 threads", "bytes");
        line("---", "--:", "--:", "--:", "--:", "--:");
        for (String[] taker : TAKERS) {
            line(
                    taker[1],
                    takes(taker[0], Purse.NEVER_DRY, 1),
                    takes(taker[0], Purse.NEVER_DRY, 2),
                    takes(taker[0], Purse.DRY, 1),
                    takes(taker[0], Purse.DRY, 2),
                    whole(figures.bytes(take(taker[0], Purse.NEVER_DRY, 1))));
        }
        for (int threads = 1; threads <= 2; threads++) {
            String other = take("bucket4j", Purse.NEVER_DRY, threads);
            goal(
                    "one take, in Bucket4j's lock-free, " + threads(threads),
                    0.75,
                    figures.ratio(take("weirBare", Purse.NEVER_DRY, threads), other));
        }
    }

    void decision(int principals, int tools) {
        head(String.format(
                Locale.ROOT,
                "%,d principals, %d tools, random order: ns (in Bucket4j's behind Caffeine)",
                principals,
                tools));
        line("", "1 thread", "2 threads", "bytes");
        line("---", "--:", "--:", "--:");
        for (String[] decider : DECIDERS) {
            line(
                    decider[1],
                    decides(decider[0], principals, tools, 1),
                    decides(decider[0], principals, tools, 2),
                    whole(figures.bytes(decide(decider[0], principals, tools, 1))));
        }
        for (int threads = 1; threads <= 2; threads++) {
            String admitted = decide("Decision.admitted", principals, tools, threads);
            String banned = decide("Decision.banned", principals, tools, threads);
            String cached = decide("Rivals.bucket4jInCaffeine", principals, tools, threads);
            String lookUp = decide("Rivals.lookUp", principals, tools, threads);
            goal(
                    "admitted decision, in takes of Bucket4j behind Caffeine, " + threads(threads),
                    1,
                    figures.ratio(admitted, cached));
            String findBan = decide("Decision.findBan", principals, tools, threads);
            goal("banned decision, in look-ups of the ban, " + threads(threads), 1.3, figures.ratio(banned, findBan));
            goal("banned decision, in bare look-ups, " + threads(threads), 1.3, figures.ratio(banned, lookUp));
        }
        goal(
                "bytes allocated an admitted decision",
                64,
                figures.bytes(decide("Decision.admitted", principals, tools, 1)));
    }

    void flat() {
        head("As the crowd grows, one tool each, random order: ns");
        line("principals", "admitted", "one look-up", "the decision's own");
        line("--:", "--:", "--:", "--:");
        for (int crowd : crowds) {
            double admitted = figures.nanos(decide("Decision.admitted", crowd, 1, 1));
            double lookUp = figures.nanos(decide("Rivals.lookUp", crowd, 1, 1));
            line(String.format(Locale.ROOT, "%,d", crowd), whole(admitted), whole(lookUp), whole(admitted - lookUp));
        }
        int few = crowds.get(0);
        int many = crowds.get(crowds.size() - 1);
        goal(
                String.format(Locale.ROOT, "cost from %,d to %,d keys, beyond the look-up's own growth", few, many),
                1.5,
                figures.growth(
                        decide("Decision.admitted", few, 1, 1),
                        decide("Decision.admitted", many, 1, 1),
                        decide("Rivals.lookUp", few, 1, 1),
                        decide("Rivals.lookUp", many, 1, 1)));
    }

    void heap(int principals, int tools) throws IOException, InterruptedException {
        int[][] shapes = {{principals, tools}, {principals * tools, 1}};
        head("Heap, bytes a live bucket with its share of the keys");
        line("", shape(shapes[0]), shape(shapes[1]));
        line("---", "--:", "--:");
        for (HeapPerBucket.Owner owner : HeapPerBucket.Owner.values()) {
            double[] bytes = new double[shapes.length];
            for (int i = 0; i < shapes.length; i++) {
                bytes[i] = HeapPerBucket.measure(owner, shapes[i][0], shapes[i][1]);
                if (owner == HeapPerBucket.Owner.WEIR) {
                    goal("bytes of heap a live bucket, " + shape(shapes[i]), 120, bytes[i]);
                }
            }
            line(owner.words(), whole(bytes[0]), whole(bytes[1]));
        }
    }

    private String takes(String taker, Purse purse, int threads) {
        String name = take(taker, purse, threads);
        return withRatio(name, take("bucket4j", purse, threads));
    }

    private String decides(String decider, int principals, int tools, int threads) {
        String name = decide(decider, principals, tools, threads);
        return withRatio(name, decide("Rivals.bucket4jInCaffeine", principals, tools, threads));
    }

    private String withRatio(String name, String other) {
        return whole(figures.nanos(name)) + " (" + hundredths(figures.ratio(name, other)) + ")";
    }

    private static String take(String taker, Purse purse, int threads) {
        return Figures.name("OneTake." + taker, "purse=" + purse, threads);
    }

    private static String decide(String benchmark, int principals, int tools, int threads) {
        return Figures.name(benchmark, "principals=" + principals + " tools=" + tools, threads);
    }

    private void goal(String words, double most, double measured) {
        String numbers = most >= 10 ? whole(most) + " | " + whole(measured) : most + " | " + hundredths(measured);
        goals.append("| ").append(words).append(" | ").append(numbers);
        goals.append(measured <= most ? " | met |\n" : " | **missed** |\n");
    }

    private void head(String title) {
        tables.append(tables.isEmpty() ? "## " : "\n## ").append(title).append("\n\n");
    }

    private void line(String... cells) {
        tables.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    private static String threads(int threads) {
        return threads == 1 ? "1 thread" : threads + " threads";
    }

    private static String shape(int[] shape) {
        return String.format(Locale.ROOT, "%,d principals × %d", shape[0], shape[1]);
    }

    private static String whole(double figure) {
        return String.format(Locale.ROOT, "%,.0f", figure);
    }

    private static String hundredths(double figure) {
        return String.format(Locale.ROOT, "%.2f", figure);
    }
}
