package dev.weir.ban;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * by many threads; looking a ban up takes no lock. The refreshes wait for the history and are called by one thread at a time.
 */
public final class BanBook {

    /**
     * What came of a throttle.
     *
     * @param strikes   the strikes inside the window, this one included; zero if the throttle is of no account
     * @param ban       the ban that it led to, or that has come meanwhile; null if there is none
     * @param holdNanos how long the answer is to be held back, so that calls which were fired off together with this one
     *                  arrive before it is written
     * @param answered  to be called when the answer is about to be written, or never can be
     */
    public record Strike(int strikes, @Nullable Standing ban, long holdNanos, Runnable answered) {

        /** A strike whose answer is not held back, and of which it does not matter when that is written. */
        static Strike unheld(int strikes, @Nullable Standing ban) {
            return new Strike(strikes, ban, 0, () -> {});
        }
    }

    /** The most principals whose strikes are counted at once. */
    static final int MAX_OFFENDERS = 100_000;

    private final BanHistory history;
    private final BanWatch watch;
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    private final Supplier<String> ids;
    private final Sentences sentences = new Sentences();
    private final Offenders offenders = new Offenders(MAX_OFFENDERS);
    private final Precedents precedents = new Precedents();

    /** The bans that were made here, until they have been seen in the history. */
    private final ConcurrentMap<String, Standing> fresh = new ConcurrentHashMap<>();

    /** The bans that were lifted here, until the history is known to say so too. */
    private final ConcurrentMap<String, CompletionStage<Boolean>> lifting = new ConcurrentHashMap<>();

    /**
     * @param watch     is told of bans that begin and end
     * @param clock     the wall clock, on which bans end
     * @param nanoClock a monotonic clock in nanoseconds, on which strikes are counted
     * @param ids       makes the ids of bans, each different from all others
     */
    public BanBook(
            BanHistory history, BanWatch watch, InstantSource clock, LongSupplier nanoClock, Supplier<String> ids) {
        this.history = history;
        this.watch = watch;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.ids = ids;
    }

    /** The ban under which a principal is now, the widest if there are several; null if it is under none. */
    public @Nullable Standing find(String principal) {
        return sentences.find(principal, clock);
    }

    /** The ban of an id that holds now; null if this Weir knows of none. Looks through all of them. */
    public @Nullable Standing byId(String banId) {
        Standing standing = sentences.search(banId);
        return standing != null && standing.holdsAt(clock.millis()) ? standing : null;
    }

    /** Counts a throttle against a principal that is not banned, and bans it if it was one too many. */
    public Strike strike(String principal, Call call, BanRule rule) {
        while (true) {
            Strikes own = offenders.of(principal);
            if (own == null) {
                return Strike.unheld(0, null);
            }
            synchronized (own) {
                if (!own.isRetired()) {
                    return strike(own, principal, call, rule);
                }
            }
        }
    }

    /**
     * Says how near a principal is to a ban that is under none. Counts nothing.
     *
     * @param arrivedNanos when the call arrived whose throttle would come next, on the monotonic clock
     */
    public Outlook outlook(String principal, BanRule rule, long arrivedNanos) {
        Strikes own = offenders.find(principal);
        int strikes = 0;
        boolean isNew = offenders.hasRoom(principal);
        if (own != null) {
            synchronized (own) {
                strikes = own.within(nanoClock.getAsLong(), rule.window().toNanos());
                isNew = own.isNew(arrivedNanos, rule.count());
            }
        }
        int next = isNew && strikes <= rule.threshold() ? strikes + 1 : strikes;
        boolean bans = isNew && next > rule.threshold();
        int escalation = precedents.escalation(principal, now(), rule.term().forget());
        return new Outlook(strikes, next, bans ? rule.term().of(escalation) : null);
    }

    /**
     * Bans a principal by hand, from now on and beside whatever bans it is under.
     *
     * @param principal its key, as the caller knows it to be one
     * @param reason    why, in words that the principal will be told
     * @param by        who bans it
     * @return the ban, which holds; its record may take as long as the history is away
     * @throws IllegalArgumentException if there is no principal or no reason, or if the duration is not above zero and at most
     *                                  ten years
     */
    public Standing banByHand(String principal, BanRule.Scope scope, Duration duration, String reason, String by) {
        if (principal.isBlank() || reason.isBlank()) {
            throw new IllegalArgumentException("a ban needs a principal and a reason");
        }
        BanTerm term = new BanTerm(duration, 1, duration, Duration.ZERO);
        Instant now = now();
        return enforce(new Ban(
                ids.get(), principal, scope, reason, null, null, 0, 0, List.of(), 0, by, now, now.plus(term.first())));
    }

    /**
     * Lifts a ban, here at once and elsewhere as soon as the history says so. It then makes no later ban longer.
     *
     * @param by     who lifts it
     * @param reason why, in words
     * @return done when the lift would survive a crash: whether there is such a ban, and nobody had lifted it before
     */
    public CompletionStage<Boolean> lift(String banId, String by, String reason) {
        CompletionStage<Boolean> recorded = history.lift(banId, by, reason, now());
        lifting.put(banId, recorded);
        Standing standing = sentences.search(banId);
        if (standing == null) {
            precedents.lifted(banId);
        } else {
            drop(standing.ban(), true);
        }
        return recorded;
    }

    /**
     * Takes over the bans that the history holds at the start. They are of an earlier life, and nobody is told of them.
     *
     * @return how many there are
     */
    public int restore() {
        return follow(BanWatch.NONE);
    }

    /**
     * Takes over what has changed in the history: bans made, altered or lifted elsewhere, and those that have ended. A ban of
     * our own that is still on its way into the history stays.
     */
    public void refresh() {
        var unused = follow(watch);
    }

    /** Takes over from the history which bans make later ones longer, beside those that hold. */
    public void refreshPrecedents(BanRule rule) {
        Instant now = clock.instant();
        precedents.refresh(history, now.minus(rule.term().forget()), now, sentences, lifting::containsKey);
    }

    /** Forgets the strikes that have slid out of the window. */
    public void sweep(BanRule rule) {
        offenders.sweep(nanoClock, rule.window().toNanos());
    }

    /** How many bans hold now. */
    public long active() {
        return sentences.count(clock.millis());
    }

    /** How many throttles were not counted since the start, because too many principals had strikes. */
    public long uncounted() {
        return offenders.uncounted();
    }

    /** Under the lock of the principal's strikes. */
    private Strike strike(Strikes own, String principal, Call call, BanRule rule) {
        Standing standing = find(principal);
        if (standing != null) {
            return Strike.unheld(0, standing);
        }
        long nanos = nanoClock.getAsLong();
        boolean isNew = own.isNew(call.arrivedNanos(), rule.count());
        if (isNew) {
            own.add(call, nanos, clock.instant(), rule.threshold());
        }
        int count = own.inWindow(nanos, rule.window().toNanos());
        if (isNew && count > rule.threshold()) {
            standing = ban(principal, call, count, own.evidence(), rule);
            offenders.retire(principal, own);
            return Strike.unheld(count, standing);
        }
        if (rule.count() == BanRule.Count.EVERY || !own.join()) {
            return Strike.unheld(count, null);
        }
        long number = own.latest();
        return new Strike(count, null, own.holdNanos(nanos), () -> answered(own, number));
    }

    private Standing ban(String principal, Call call, int count, List<Ban.Evidence> evidence, BanRule rule) {
        Instant now = now();
        int window = (int) rule.window().toSeconds();
        int escalation = precedents.escalation(principal, now, rule.term().forget());
        String where = call.tool() != null ? call.tool() : call.route();
        Standing standing = enforce(new Ban(
                ids.get(),
                principal,
                rule.scope(),
                count + " throttles in " + window + "s on [" + where + "]",
                call.route(),
                call.tool(),
                count,
                window,
                evidence,
                escalation,
                null,
                now,
                now.plus(rule.term().of(escalation))));
        precedents.add(standing);
        return standing;
    }

    private Standing enforce(Ban ban) {
        CompletableFuture<Void> recorded = new CompletableFuture<>();
        Standing standing = new Standing(ban, recorded);
        fresh.put(ban.id(), standing);
        sentences.put(standing);
        watch.banned(ban, true);
        var unused = history.record(ban).thenRun(() -> recorded.complete(null));
        return standing;
    }

    private int follow(BanWatch told) {
        // Only what was committed before the reading is missing there because it was lifted, or is lifted there.
        Map<String, Standing> settled = new HashMap<>(fresh);
        settled.values().removeIf(standing -> !standing.isRecorded());
        Set<String> lifted = new HashSet<>();
        lifting.forEach((id, stage) -> {
            if (stage.toCompletableFuture().isDone()) {
                lifted.add(id);
            }
        });
        Instant now = clock.instant();
        BanChanges changes = history.changes(now);
        changes.gone().forEach(ban -> drop(ban, now.isBefore(ban.expiresAt())));
        for (Ban ban : changes.holding()) {
            boolean ours = fresh.remove(ban.id()) != null;
            settled.remove(ban.id());
            if (lifting.containsKey(ban.id())) {
                continue;
            }
            precedents.learn(ban);
            if (sentences.put(Standing.recorded(ban)) && !ours) {
                told.banned(ban, false);
            }
        }
        settled.forEach((id, standing) -> {
            fresh.remove(id);
            drop(standing.ban(), now.isBefore(standing.ban().expiresAt()));
        });
        lifting.keySet().removeAll(lifted);
        return changes.holding().size();
    }

    private void drop(Ban ban, boolean lifted) {
        if (lifted) {
            precedents.lifted(ban);
        }
        if (sentences.drop(ban.principal(), ban.id())) {
            watch.unbanned(ban, lifted);
        }
    }

    private void answered(Strikes own, long number) {
        synchronized (own) {
            own.answered(number, nanoClock.getAsLong());
        }
    }

    /** The wall clock, to the millisecond, so that a ban comes back from the history as it went there. */
    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }
}
