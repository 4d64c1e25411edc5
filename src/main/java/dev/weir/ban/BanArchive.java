package dev.weir.ban;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the bans that were ever written down and not yet deleted. Waits for the store. Safe for use by many threads. */
public interface BanArchive {

    /**
     * Which bans are asked for; null leaves a matter open.
     *
     * @param state     what has become of them by {@code now}
     * @param principal who was banned
     * @param route     where the strikes were
     * @param tool      the tool of those strikes
     * @param from      the earliest beginning
     * @param until     they began before this
     * @param now       the time at which this is asked
     */
    record Filter(
            BanRecord.@Nullable State state,
            @Nullable String principal,
            @Nullable String route,
            @Nullable String tool,
            @Nullable Instant from,
            @Nullable Instant until,
            Instant now) {}

    /**
     * A page of bans, those that began last first.
     *
     * @param after where the page before ended; null for the first page
     * @param most  the most that are wanted
     */
    List<BanRecord> page(Filter filter, @Nullable Place after, int most);

    /** One ban; null if there is none of this id. */
    @Nullable
    BanRecord find(String id);
}
