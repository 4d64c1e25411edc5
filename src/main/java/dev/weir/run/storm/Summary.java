package dev.weir.run.storm;

import dev.weir.run.storm.Answer.Kind;
import java.util.Locale;

/** The table at the end of a storm. */
final class Summary {

    private static final double NANOS_PER_SECOND = 1e9;

    private Summary() {}

    static String of(Tally.Sums sums, long wallNanos) {
        StringBuilder table = new StringBuilder("\n");
        row(table, "sent", sums.sent());
        for (Kind kind : Kind.values()) {
            row(table, kind.word(), sums.count(kind));
        }
        if (sums.unanswered() > 0) {
            table.append("  (")
                    .append(sums.unanswered())
                    .append(" of the failed had no answer when the storm ended)\n");
        }
        if (sums.keptBack() > 0) {
            table.append("  (").append(sums.keptBack()).append(" more were due, and not sent for want of answers)\n");
        }
        table.append(String.format(Locale.ROOT, "\n%-12s%9s%9s%9s\n", "latency ms", "p50", "p99", "max"));
        latency(table, "admitted", sums.admitted());
        latency(table, "refused", sums.refused());
        table.append(String.format(Locale.ROOT, "\nwall time %.2f s\n", wallNanos / NANOS_PER_SECOND));
        return table.toString();
    }

    private static void row(StringBuilder table, String name, int count) {
        table.append(String.format(Locale.ROOT, "%-12s%9d\n", name, count));
    }

    private static void latency(StringBuilder table, String name, Latencies latencies) {
        if (latencies.isEmpty()) {
            table.append(String.format(Locale.ROOT, "%-12s%9s%9s%9s\n", name, "-", "-", "-"));
            return;
        }
        table.append(String.format(
                Locale.ROOT,
                "%-12s%9.1f%9.1f%9.1f\n",
                name,
                latencies.millis(50),
                latencies.millis(99),
                latencies.millis(100)));
    }
}
