package dev.weir.limit;

import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Buckets in the memory of this process.
 *
 * <p>Memory is bounded by debt and not by visitors: a bucket that is full again is dropped by {@link #sweep}, because a new one
 * would do as well. Principals beyond the greatest number share one account, so that a flood of new ones neither fills the
 * memory nor refills anybody; one that gets an account later begins with what the shared one owed.
 *
 * <p>Safe for use by many threads. A take holds no lock, but where it adds a bucket to its own principal's account.
 */
public final class LocalBuckets implements Buckets {

    private final LongSupplier nanoClock;
    private final Accounts accounts;

    /**
     * @param maxPrincipals the most principals that have an account of their own at one time
     * @param nanoClock     a monotonic clock in nanoseconds
     */
    public LocalBuckets(int maxPrincipals, LongSupplier nanoClock) {
        this.accounts = new Accounts(maxPrincipals);
        this.nanoClock = nanoClock;
    }

    @Override
    public Outcome take(String principal, Charge charge) {
        Take[] takes = charge.array();
        if (takes.length == 0) {
            return Outcome.Taken.FREE;
        }
        while (true) {
            long now = nanoClock.getAsLong();
            Account own = accounts.find(principal);
            BitSet passedOver = null;
            for (int i = 0; i < takes.length; i++) {
                Take take = takes[i];
                TokenBucket bucket = find(own, take);
                if (!admits(take, bucket, now)) {
                    if (!take.isShadow()) {
                        return refusal(own, takes, i, passedOver, now);
                    }
                    var unused = refuse(own, take, bucket, now);
                    if (passedOver == null) {
                        passedOver = new BitSet(takes.length);
                    }
                    passedOver.set(i);
                }
            }
            Outcome taken = takeAll(own != null ? own : accounts.open(principal, now), takes, passedOver, now);
            if (taken != null) {
                return taken;
            }
        }
    }

    /** What would come of a charge now. Takes nothing, and leaves every bucket as it is. */
    public Forecast foresee(String principal, Charge charge) {
        return new Foresight(accounts, nanoClock.getAsLong()).of(principal, charge);
    }

    /**
     * How buckets stand that are not as good as new, the most indebted first. Looks at all of them, and changes none.
     *
     * @param principal whose they have to be, or shared; null for all
     * @param wanted    which of those
     * @param most      the most to be told of
     */
    public List<BucketState> states(@Nullable String principal, Predicate<BucketState> wanted, int most) {
        Comparator<BucketState> leastFirst = Comparator.comparingLong(BucketState::owedNanos);
        PriorityQueue<BucketState> kept = new PriorityQueue<>(leastFirst);
        accounts.each(principal, nanoClock.getAsLong(), state -> {
            if (!state.isAsNew() && wanted.test(state)) {
                kept.add(state);
                if (kept.size() > most) {
                    kept.remove();
                }
            }
        });
        return kept.stream().sorted(leastFirst.reversed()).toList();
    }

    /** The principals that have an account now. */
    public int principals() {
        return accounts.size();
    }

    /** How many takes came from the shared account of those for whom there was no room, since the start. */
    public long overflowed() {
        return accounts.overflowed();
    }

    /** Drops every bucket that a new one would replace as well, and every account that has none left. */
    public void sweep() {
        accounts.sweep(nanoClock.getAsLong());
    }

    /** Saves what has changed since the last time; what could not be saved is saved the next time. */
    public void saveTo(BucketSnapshots snapshots) {
        accounts.saveTo(snapshots, nanoClock.getAsLong());
    }

    /** Takes over what was saved before, for buckets that this process has not yet opened itself. */
    public void restoreFrom(BucketSnapshots snapshots) {
        long now = nanoClock.getAsLong();
        snapshots.load(debt -> accounts.restore(debt, now));
    }

    private static boolean admits(Take take, @Nullable TokenBucket bucket, long now) {
        Tier tier = take.tier();
        if (tier.limit().blocks()) {
            return false;
        }
        return bucket == null
                || ((tier.cooldownNanos() == 0 || bucket.shutNanos(tier.cooldownNanos(), now) == 0)
                        && bucket.waitNanos(take.cost(), tier.limit(), now) <= tier.maxWaitNanos()
                        && (tier.maxConcurrent() == 0 || bucket.hasSlots(take.calls(), tier.maxConcurrent())));
    }

    /** What the narrowest take that is refused comes to; the wider ones can only make the wait longer. */
    private Outcome refusal(@Nullable Account own, Take[] takes, int at, @Nullable BitSet passedOver, long now) {
        Outcome.Refused first = refuse(own, takes[at], find(own, takes[at]), now);
        long wait = first.waitNanos();
        for (int i = at + 1; i < takes.length; i++) {
            TokenBucket bucket = find(own, takes[i]);
            Limit limit = takes[i].tier().limit();
            if (limit.blocks()) {
                wait = Outcome.NEVER;
            } else if (bucket != null) {
                wait = Math.max(wait, bucket.waitNanos(takes[i].cost(), limit, now));
            }
        }
        return new Outcome.Refused(first.by(), first.reason(), wait, first.owedNanos(), would(takes, passedOver));
    }

    /** Refuses one take, with what that does to its bucket. */
    private Outcome.Refused refuse(@Nullable Account own, Take take, @Nullable TokenBucket bucket, long now) {
        Tier tier = take.tier();
        if (bucket == null || tier.limit().blocks()) {
            return new Outcome.Refused(take, Outcome.Reason.BLOCKED, Outcome.NEVER, 0, null);
        }
        Outcome.Reason reason = Outcome.Reason.EMPTY;
        long shut = bucket.shutNanos(tier.cooldownNanos(), now);
        if (shut > 0) {
            if (bucket.take(take.cost(), tier.limit(), 0, now) == 0) {
                reason = Outcome.Reason.COOLING;
            }
        } else if (tier.maxConcurrent() > 0
                && !bucket.hasSlots(take.calls(), tier.maxConcurrent())
                && bucket.waitNanos(take.cost(), tier.limit(), now) <= tier.maxWaitNanos()) {
            reason = Outcome.Reason.BUSY;
        } else if (tier.cooldownNanos() > 0) {
            shut = bucket.shut(tier.cooldownNanos(), now);
        }
        if (own != null) {
            accounts.soil(own);
        }
        long wait = Math.max(shut, bucket.waitNanos(take.cost(), tier.limit(), now));
        return new Outcome.Refused(take, reason, wait, bucket.owedNanos(now), null);
    }

    /** Takes everything, or answers null with nothing taken: another look is needed then. */
    private @Nullable Outcome takeAll(Account own, Take[] takes, @Nullable BitSet passedOver, long now) {
        Take tightest = takes[0];
        long fewest = Long.MAX_VALUE;
        long owed = 0;
        long wait = 0;
        boolean slot = false;
        for (int i = 0; i < takes.length; i++) {
            Take take = takes[i];
            Limit limit = take.tier().limit();
            TokenBucket bucket = limit.blocks() ? null : home(take, own).findOrAdd(take.bucket(), limit, now);
            long answer = takeOne(take, bucket, isIn(passedOver, i), now);
            if (answer < 0) {
                giveBack(own, takes, i, passedOver);
                return null;
            }
            wait = Math.max(wait, answer);
            slot |= take.tier().maxConcurrent() > 0;
            long owes = bucket == null ? 0 : bucket.owedNanos(now);
            long left = limit.tokensLeft(owes);
            if (left < fewest) {
                fewest = left;
                tightest = take;
                owed = owes;
            }
        }
        accounts.soil(own);
        accounts.soil(accounts.shared());
        Reservation reservation = wait == 0 && !slot
                ? null
                : new LocalReservation(
                        wait,
                        () -> leave(own, takes, takes.length),
                        () -> giveBack(own, takes, takes.length, passedOver));
        return new Outcome.Taken(tightest, owed, would(takes, passedOver), reservation);
    }

    /** Answers the wait until the tokens are there; below zero if nothing was taken. */
    private static long takeOne(Take take, @Nullable TokenBucket bucket, boolean passedOver, long now) {
        Tier tier = take.tier();
        if (bucket == null) {
            return passedOver && tier.limit().blocks() ? 0 : TokenBucket.RETIRED;
        }
        boolean counted = tier.maxConcurrent() > 0;
        if (counted && !bucket.enter(take.calls(), take.isShadow() ? Integer.MAX_VALUE : tier.maxConcurrent())) {
            return TokenBucket.RETIRED;
        }
        long answer = passedOver ? 0 : bucket.take(take.cost(), tier.limit(), tier.maxWaitNanos(), now);
        if (answer < 0 && counted) {
            bucket.leave(take.calls());
        }
        return answer;
    }

    /** Undoes the first takes of a charge. */
    private void giveBack(Account own, Take[] takes, int end, @Nullable BitSet passedOver) {
        leave(own, takes, end);
        for (int i = 0; i < end; i++) {
            TokenBucket bucket = find(own, takes[i]);
            if (bucket != null && !isIn(passedOver, i)) {
                bucket.giveBack(takes[i].cost());
            }
        }
    }

    private void leave(Account own, Take[] takes, int end) {
        for (int i = 0; i < end; i++) {
            TokenBucket bucket = takes[i].tier().maxConcurrent() > 0 ? find(own, takes[i]) : null;
            if (bucket != null) {
                bucket.leave(takes[i].calls());
            }
        }
    }

    private @Nullable TokenBucket find(@Nullable Account own, Take take) {
        Account home = take.bucket().level().personal() ? own : accounts.shared();
        return home == null ? null : home.find(take.bucket());
    }

    /** The last of those in a batch, which may have several. */
    private static @Nullable Take would(Take[] takes, @Nullable BitSet passedOver) {
        return passedOver == null ? null : takes[passedOver.length() - 1];
    }

    private static boolean isIn(@Nullable BitSet passedOver, int index) {
        return passedOver != null && passedOver.get(index);
    }

    private Account home(Take take, Account own) {
        return take.bucket().level().personal() ? own : accounts.shared();
    }
}
