package dev.weir.ban;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who is shut out now, and how near the others are to it. The one place where strikes become bans.
 *
 * <p>Strikes are counted on the monotonic clock; a ban ends on the wall clock, because it outlives the process. Safe for use
 * by many threads; looking a ban up takes no lock.
 */
public final class BanBook {

    /**
     * What came of a throttle.
     *
     * @param strikes  the strikes inside the window, this one included
     * @param ban      the ban that it led to; null if it led to none
     * @param answered to be called when the answer to this call is about to be written
     */
    public record Strike(int strikes, @Nullable Standing ban, Runnable answered) {}

    /**
     * A ban that holds.
     *
     * @param ban      the ban
     * @param recorded done when the ban would survive a crash
     */
    public record Standing(Ban ban, CompletionStage<Void> recorded) {

        private boolean isRecorded() {
            return recorded.toCompletableFuture().isDone();
        }
    }

    private final BanHistory history;
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    private final Supplier<String> ids;
    private final ConcurrentMap<String, Standing> bans = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Strikes> strikes = new ConcurrentHashMap<>();

    /**
     * @param clock     the wall clock, on which bans end
     * @param nanoClock a monotonic clock in nanoseconds, on which strikes are counted
     * @param ids       makes the ids of bans, each different from all others
     */
    public BanBook(BanHistory history, InstantSource clock, LongSupplier nanoClock, Supplier<String> ids) {
        this.history = history;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.ids = ids;
    }

    /** The ban under which a principal is now; null if it is under none. */
    public @Nullable Standing find(String principal) {
        Standing standing = bans.get(principal);
        if (standing != null && !clock.instant().isBefore(standing.ban().expiresAt())) {
            bans.remove(principal, standing);
            return null;
        }
        return standing;
    }

    /** Counts a throttle against a principal, and bans it if it was one too many. */
    public Strike strike(String principal, Call call, BanRule rule) {
        Strikes own = strikes.computeIfAbsent(principal, p -> new Strikes());
        synchronized (own) {
            long nanos = nanoClock.getAsLong();
            long number = own.latest();
            if (own.isNew(call, rule.count())) {
                number = own.add(call, nanos, clock.instant(), rule.threshold());
            }
            int count = own.inWindow(nanos, rule.window().toNanos());
            Standing ban = null;
            if (count > rule.threshold()) {
                ban = ban(principal, call, count, own.evidence(), rule);
                own.forget();
            }
            long strike = number;
            return new Strike(count, ban, () -> answered(principal, strike));
        }
    }

    /**
     * Takes over what the history says: bans made or lifted elsewhere, and, at the start, those of an earlier life. A ban of
     * our own that is still on its way into the history stays.
     */
    public void refresh() {
        List<Standing> settled =
                bans.values().stream().filter(Standing::isRecorded).toList();
        List<Ban> active = history.activeAt(clock.instant());
        for (Standing standing : settled) {
            boolean stands = active.stream()
                    .anyMatch(ban -> ban.id().equals(standing.ban().id()));
            if (!stands) {
                bans.remove(standing.ban().principal(), standing);
            }
        }
        for (Ban ban : active) {
            bans.merge(ban.principal(), new Standing(ban, CompletableFuture.completedFuture(null)), BanBook::later);
        }
    }

    /** Forgets the strikes that have slid out of the window, and bans that have ended. */
    public void sweep(BanRule rule) {
        strikes.forEach((principal, own) -> {
            synchronized (own) {
                if (own.inWindow(nanoClock.getAsLong(), rule.window().toNanos()) == 0) {
                    strikes.remove(principal, own);
                }
            }
        });
        Instant now = clock.instant();
        bans.values().removeIf(standing -> !now.isBefore(standing.ban().expiresAt()));
    }

    private Standing ban(String principal, Call call, int count, List<Ban.Evidence> evidence, BanRule rule) {
        Instant now = clock.instant();
        int window = (int) rule.window().toSeconds();
        String where = call.tool() != null ? call.tool() : call.route();
        Ban ban = new Ban(
                ids.get(),
                principal,
                rule.scope(),
                count + " throttles in " + window + "s on [" + where + "]",
                call.route(),
                call.tool(),
                count,
                window,
                evidence,
                now,
                now.plus(rule.duration()));
        Standing standing = new Standing(ban, history.record(ban));
        bans.put(principal, standing);
        return standing;
    }

    private void answered(String principal, long strike) {
        Strikes own = strikes.get(principal);
        if (own != null) {
            synchronized (own) {
                own.answered(strike, nanoClock.getAsLong());
            }
        }
    }

    private static Standing later(Standing ours, Standing theirs) {
        return ours.ban().id().equals(theirs.ban().id())
                        || !ours.ban().expiresAt().isBefore(theirs.ban().expiresAt())
                ? ours
                : theirs;
    }
}
