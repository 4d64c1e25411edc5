package dev.weir.ban;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the history of throttles. Waits for the store. Safe for use by many threads. */
public interface ThrottleArchive {

    /** The most sums of one question. */
    int MOST_SUMS = 500;

    /**
     * Which throttles are asked for; null leaves a matter open.
     *
     * @param from  the earliest
     * @param until they happened before this
     */
    record Filter(
            @Nullable String principal,
            @Nullable String route,
            @Nullable String tool,
            @Nullable String level,
            ThrottleEvent.@Nullable Decision decision,
            @Nullable String node,
            @Nullable Instant from,
            @Nullable Instant until) {}

    /** What calls are summed by. */
    enum By {
        /** Who called. */
        PRINCIPAL,
        /** The route and the tool. */
        TOOL,
        /** The route. */
        ROUTE,
        /** The level that refused. */
        LEVEL
    }

    /**
     * How many calls there were of those that have something in common.
     *
     * @param principal null if it is not summed by principal; so with the others
     */
    record Sum(
            @Nullable String principal,
            @Nullable String route,
            @Nullable String tool,
            @Nullable String level,
            @Nullable Instant at,
            long calls) {}

    /**
     * A page of throttles, the latest first.
     *
     * @param after where the page before ended; null for the first page
     * @param most  the most that are wanted
     */
    List<ThrottleRecord> page(Filter filter, @Nullable Place after, int most);

    /** The largest sums, at most {@link #MOST_SUMS}, the largest first. */
    List<Sum> sums(Filter filter, By by);

    /**
     * The sums of steps in time, counted from 1970 on; the latest, at most {@link #MOST_SUMS}, in their order. Steps without calls
     * are left out.
     *
     * @param step whole seconds, at least one
     */
    List<Sum> course(Filter filter, Duration step);
}
