package dev.weir.store;

import dev.weir.ban.ThrottleEvent;
import dev.weir.ban.ThrottleHistory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/**
 * Throttles in table {@code throttle_event}, written by a {@link WriteQueue} that drops what is refused. One batch of rows is in
 * the queue at a time. The others wait here: while there are many, rows of one kind become one row a minute, and beyond the
 * greatest number of rows calls are dropped and counted.
 *
 * <p>Safe for use by many threads. A row may be written twice if the database goes away after it has taken a batch and before
 * it has said so.
 */
public final class JdbcThrottleHistory implements ThrottleHistory {

    private static final int BATCH = 500;
    private static final int MANY_ROWS = 2_000;
    private static final int MAX_ROWS = 20_000;

    private record Slot(Instant start, ThrottleEvent.Kind kind) {

        private Slot minute() {
            return new Slot(start.truncatedTo(ChronoUnit.MINUTES), kind);
        }
    }

    private record Row(Slot slot, long calls) {}

    private final WriteQueue queue;
    private final String node;

    /** The calls of the rows to come, in the order in which they came. All below is guarded by this object. */
    private final Map<Slot, Long> waiting = new LinkedHashMap<>();

    private boolean writing;
    private long dropped;

    /**
     * @param queue one of {@link WriteQueue#dropping}
     * @param node  the name of this Weir, kept with the rows that it makes
     */
    public JdbcThrottleHistory(WriteQueue queue, String node) {
        this.queue = queue;
        this.node = node;
    }

    @Override
    public synchronized void record(List<ThrottleEvent> events) {
        for (ThrottleEvent event : events) {
            add(event);
        }
        if (waiting.size() > MANY_ROWS) {
            mergeByMinute();
        }
        if (!writing) {
            write(BATCH);
        }
    }

    /** Hands all rows to the queue, because it is about to be stopped. */
    public synchronized void flush() {
        write(Integer.MAX_VALUE);
    }

    /** The calls whose rows were dropped: because too many waited, or because the database did not take them. */
    public synchronized long dropped() {
        return dropped;
    }

    /** The rows that are not yet in the queue. */
    public synchronized int waiting() {
        return waiting.size();
    }

    private void add(ThrottleEvent event) {
        Slot second = new Slot(event.second(), event.kind());
        Slot slot = waiting.size() > MANY_ROWS ? second.minute() : second;
        if (waiting.size() >= MAX_ROWS && !waiting.containsKey(slot)) {
            dropped += event.calls();
        } else {
            waiting.merge(slot, event.calls(), Long::sum);
        }
    }

    private void mergeByMinute() {
        Map<Slot, Long> merged = new LinkedHashMap<>();
        waiting.forEach((slot, calls) -> merged.merge(slot.minute(), calls, Long::sum));
        waiting.clear();
        waiting.putAll(merged);
    }

    private void write(int most) {
        List<Row> rows = new ArrayList<>();
        for (Iterator<Map.Entry<Slot, Long>> all = waiting.entrySet().iterator();
                rows.size() < most && all.hasNext(); ) {
            Map.Entry<Slot, Long> entry = all.next();
            rows.add(new Row(entry.getKey(), entry.getValue()));
            all.remove();
        }
        if (!rows.isEmpty()) {
            writing = true;
            queue.add(rows.size() + " rows of throttles", handle -> insert(handle, rows))
                    .whenComplete((done, failure) -> written(rows, failure));
        }
    }

    private synchronized void written(List<Row> rows, @Nullable Throwable failure) {
        if (failure != null) {
            rows.forEach(row -> dropped += row.calls());
        }
        writing = false;
        write(BATCH);
    }

    private void insert(Handle handle, List<Row> rows) {
        for (int i = 0; i < rows.size(); i += BATCH) {
            try (PreparedBatch batch = handle.prepareBatch(
                    "INSERT INTO throttle_event (happened_at, principal, route, tool, level, decision, calls, node)"
                            + " VALUES (:happened_at, :principal, :route, :tool, :level, :decision, :calls, :node)")) {
                rows.subList(i, Math.min(i + BATCH, rows.size())).forEach(row -> bind(batch, row));
                batch.execute();
            }
        }
    }

    private void bind(PreparedBatch batch, Row row) {
        ThrottleEvent.Kind kind = row.slot().kind();
        batch.bind("happened_at", SqlTime.of(row.slot().start()))
                .bind("principal", SqlText.storable(kind.principal()))
                .bind("route", SqlText.storable(kind.route()))
                .bind("tool", SqlText.storable(kind.tool()))
                .bind("level", kind.level())
                .bind("decision", kind.decision().word())
                .bind("calls", row.calls())
                .bind("node", node)
                .add();
    }
}
