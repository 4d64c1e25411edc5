package dev.weir.run.storm;

import dev.weir.run.storm.Answer.Kind;
import java.util.Locale;

/** The table at the end of a storm. */
final class Summary {

    private static final double NANOS_PER_SECOND = 1e9;

    private Summary() {}

    /** @param due how many calls the plan asked for */
    static String of(Tally.Sums sums, long due, long wallNanos) {
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
        if (sums.sent() < due) {
            table.append("  (").append(due - sums.sent());
            table.append(" more were due, and not sent: too many were unanswered, or this machine is too slow)\n");
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
