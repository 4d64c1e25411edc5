package dev.weir.run.storm;

import dev.weir.run.storm.Answer.Kind;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Counts what came of a storm, and tells the first answer of each kind.
 *
 * <p>Instants are nanoseconds of one monotonic clock. Safe for use by many threads; what is told is told by one at a
 * time. After {@link #close} nothing is counted or told any more.
 */
final class Tally {

    private static final double NANOS_PER_SECOND = 1e9;

    private final long start;
    private final Consumer<String> tell;
    private final Map<Kind, Integer> answers = new EnumMap<>(Kind.class);
    private final Latencies admitted = new Latencies();
    private final Latencies refused = new Latencies();
    private int sent;
    private boolean closed;

    Tally(long start, Consumer<String> tell) {
        this.start = start;
        this.tell = tell;
    }

    /** A call went out. */
    synchronized void sent() {
        sent++;
    }

    /** A call that went out at {@code sentAt} got its answer at {@code now}. */
    synchronized void answered(Answer answer, long sentAt, long now) {
        if (closed) {
            return;
        }
        Kind kind = answer.kind();
        if (answers.merge(kind, 1, Integer::sum) == 1) {
            double seconds = (now - start) / NANOS_PER_SECOND;
            tell.accept(String.format(Locale.ROOT, "%7.3f s  %s: %s", seconds, kind.word(), answer.text()));
        }
        if (kind == Kind.ADMITTED) {
            admitted.add(now - sentAt);
        } else if (kind.refused()) {
            refused.add(now - sentAt);
        }
    }

    /** Ends the counting. Calls still without an answer are counted as failed. */
    synchronized Sums close() {
        closed = true;
        int answered = answers.values().stream().mapToInt(Integer::intValue).sum();
        return new Sums(sent, sent - answered, new EnumMap<>(answers), admitted, refused);
    }

    /**
     * What a tally has counted.
     *
     * @param sent       the calls that went out
     * @param unanswered the calls that went out and got no answer
     * @param answers    the answers of each kind; a kind that never came is absent
     * @param admitted   how long the admitted calls took
     * @param refused    how long the refused calls took
     */
    record Sums(int sent, int unanswered, Map<Kind, Integer> answers, Latencies admitted, Latencies refused) {

        int count(Kind kind) {
            int counted = answers.getOrDefault(kind, 0);
            return kind == Kind.FAILED ? counted + unanswered : counted;
        }
    }
}
