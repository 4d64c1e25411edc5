package dev.weir.app;

import dev.weir.admin.Neighbours;
import dev.weir.admin.Sample;
import dev.weir.store.JdbcNodes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tells the other nodes of the same database that this one is there, and what it is at, and hears the same of them: by the rows of a
 * table, looked at again and again. Often while somebody watches, on whatever node; else seldom. {@link #take} waits for the
 * database and is called by one thread at a time; the rest is safe for use by many, and waits for nothing.
 */
final class NodeRounds implements Neighbours {

    /** The time between two rounds. */
    static final Duration PAUSE = Duration.ofMillis(400);

    /** How often a node says that it is there while nobody watches. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);

    /** How long after the last word of somebody who watched, numbers are still told. */
    private static final Duration WATCHED_FOR = Duration.ofSeconds(3);

    /** How old the numbers of another node may be to be shown. */
    private static final Duration FRESH = Duration.ofSeconds(3);

    /** After which time without a word a node is taken to be away. */
    private static final Duration AWAY = Duration.ofSeconds(15);

    private static final Duration TIDY = Duration.ofMinutes(1);

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    /** What was read, and when. */
    private record Read(long nanos, List<JdbcNodes.Row> rows) {}

    private final JdbcNodes nodes;
    private final NodeName own;
    private final LongSupplier nanoClock;
    private volatile Read read;
    private volatile boolean watched;
    private @Nullable Long wroteNanos;
    private @Nullable Long tidiedNanos;
    private boolean rested;

    /** @param nanoClock a monotonic clock in nanoseconds */
    NodeRounds(JdbcNodes nodes, NodeName own, LongSupplier nanoClock) {
        this.nodes = nodes;
        this.own = own;
        this.nanoClock = nanoClock;
        this.read = new Read(nanoClock.getAsLong(), List.of());
    }

    /**
     * Takes a round.
     *
     * @param watching whether somebody watches here
     * @param sample   what this node is at
     * @return whether anything was heard
     */
    boolean take(boolean watching, Supplier<Sample> sample) {
        long now = nanoClock.getAsLong();
        if (watching || watched || isDue(wroteNanos, HEARTBEAT, now)) {
            nodes.write(own.id(), own.host(), own.startedAt(), watching, JSON.writeValueAsString(sample.get()));
            wroteNanos = now;
        }
        // While nobody watches, every other time is enough to learn that somebody does.
        rested = !rested;
        if (!watching && !watched && rested) {
            return false;
        }
        List<JdbcNodes.Row> rows = new ArrayList<>(nodes.all());
        rows.removeIf(row -> row.id().equals(own.id()));
        read = new Read(nanoClock.getAsLong(), List.copyOf(rows));
        watched = rows.stream()
                .map(JdbcNodes.Row::watched)
                .anyMatch(ago -> ago != null && ago.compareTo(WATCHED_FOR) < 0);
        if (isDue(tidiedNanos, TIDY, now)) {
            nodes.deleteOld();
            tidiedNanos = now;
        }
        return true;
    }

    private static boolean isDue(@Nullable Long last, Duration pause, long now) {
        return last == null || now - last >= pause.toNanos();
    }

    /** Says that this node is no more. */
    void end() {
        nodes.delete(own.id());
    }

    @Override
    public List<Other> others() {
        Read latest = read;
        Duration since = Duration.ofNanos(nanoClock.getAsLong() - latest.nanos());
        return latest.rows().stream()
                .map(row -> other(row, row.age().plus(since)))
                .toList();
    }

    @Override
    public boolean isWatched() {
        return watched;
    }

    private static Other other(JdbcNodes.Row row, Duration age) {
        Sample sample = age.compareTo(FRESH) < 0 ? sample(row.sample()) : null;
        return new Other(row.id(), row.name(), row.seenAt(), age.compareTo(AWAY) > 0, sample);
    }

    /** Null for what another version may have written. */
    private static @Nullable Sample sample(@Nullable String json) {
        if (json == null) {
            return null;
        }
        try {
            return JSON.readValue(json, Sample.class);
        } catch (JacksonException e) {
            return null;
        }
    }
}
