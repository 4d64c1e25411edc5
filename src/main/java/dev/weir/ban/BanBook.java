package dev.weir.ban;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    private final Supplier<String> ids;
    private final ConcurrentMap<String, Sentence> bans = new ConcurrentHashMap<>();
    private final Offenders offenders = new Offenders(MAX_OFFENDERS);
    private final Precedents precedents = new Precedents();

    /** The bans that were lifted here, until the history is known to say so too. */
    private final ConcurrentMap<String, CompletionStage<Boolean>> lifting = new ConcurrentHashMap<>();

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

    /** The ban under which a principal is now, the widest if there are several; null if it is under none. */
    public @Nullable Standing find(String principal) {
        Sentence sentence = bans.get(principal);
        return sentence == null ? null : sentence.at(clock.millis());
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
        for (String principal : bans.keySet()) {
            bans.computeIfPresent(
                    principal,
                    (p, sentence) ->
                            sentence.without(standing -> standing.ban().id().equals(banId)));
        }
        precedents.lifted(banId);
        return recorded;
    }

    /**
     * Takes over what the history says: bans made, changed or lifted elsewhere, and, at the start, those of an earlier life. A
     * ban of our own that is still on its way into the history stays.
     */
    public void refresh() {
        Set<String> settled = new HashSet<>();
        bans.values().stream()
                .flatMap(sentence -> sentence.standings().stream())
                .filter(Standing::isRecorded)
                .forEach(standing -> settled.add(standing.ban().id()));
        Map<String, CompletionStage<Boolean>> lifted = new HashMap<>(lifting);
        lifted.values().removeIf(stage -> !stage.toCompletableFuture().isDone());

        Instant now = clock.instant();
        Map<String, List<Ban>> active = new HashMap<>();
        for (Ban ban : history.activeAt(now)) {
            active.computeIfAbsent(ban.principal(), p -> new ArrayList<>()).add(ban);
        }
        Set<String> principals = new HashSet<>(bans.keySet());
        principals.addAll(active.keySet());
        for (String principal : principals) {
            List<Ban> theirs = active.getOrDefault(principal, List.of());
            bans.compute(principal, (p, ours) -> Sentence.of(merged(ours, theirs, settled, now)));
        }
        lifting.keySet().removeAll(lifted.keySet());
    }

    /** Takes over from the history which bans make later ones longer. */
    public void refreshPrecedents(BanRule rule) {
        precedents.refresh(history, clock.instant().minus(rule.term().forget()), lifting::containsKey);
    }

    /** Forgets the strikes that have slid out of the window, and bans that have ended. */
    public void sweep(BanRule rule) {
        offenders.sweep(nanoClock, rule.window().toNanos());
        long now = clock.millis();
        for (String principal : bans.keySet()) {
            bans.computeIfPresent(principal, (p, sentence) -> sentence.without(standing -> !standing.holdsAt(now)));
        }
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
        Standing standing = new Standing(ban, history.record(ban));
        bans.compute(ban.principal(), (p, sentence) -> {
            List<Standing> all = new ArrayList<>(sentence == null ? List.of() : sentence.standings());
            all.add(standing);
            return Sentence.of(all);
        });
        return standing;
    }

    /** The bans of one principal: what the history says, and what is on its way there. */
    private List<Standing> merged(@Nullable Sentence ours, List<Ban> theirs, Set<String> settled, Instant now) {
        Map<String, Standing> known = new HashMap<>();
        List<Standing> all = new ArrayList<>();
        for (Standing standing : ours == null ? List.<Standing>of() : ours.standings()) {
            String id = standing.ban().id();
            known.put(id, standing);
            if (!settled.contains(id)) {
                all.add(standing);
            } else if (now.isBefore(standing.ban().expiresAt())
                    && theirs.stream().noneMatch(ban -> ban.id().equals(id))) {
                precedents.lifted(id);
            }
        }
        for (Ban ban : theirs) {
            Standing standing = known.get(ban.id());
            boolean ofTheirs = standing == null || settled.contains(ban.id());
            if (ofTheirs && !lifting.containsKey(ban.id())) {
                all.add(standing != null && standing.ban().equals(ban) ? standing : Standing.recorded(ban));
            }
        }
        return all;
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
