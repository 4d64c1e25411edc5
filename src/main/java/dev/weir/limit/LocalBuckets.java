package dev.weir.limit;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Buckets in the memory of this process.
 *
 * <p>Memory is bounded by debt and not by visitors: a bucket that is full again is dropped by {@link #sweep}, because a new one
 * would do as well. Principals beyond the greatest number share one account, so that a flood of new ones neither fills the
 * memory nor refills anybody.
 *
 * <p>Safe for use by many threads. A take holds no lock, but where it adds a bucket to its own principal's account.
 */
public final class LocalBuckets implements Buckets {

    private final LongSupplier nanoClock;
    private final int maxPrincipals;
    private final ConcurrentHashMap<String, Account> accounts = new ConcurrentHashMap<>();
    private final Account shared = new Account("");
    private final Account overflow = new Account("");
    private final Queue<Account> dirty = new ConcurrentLinkedQueue<>();

    /**
     * @param maxPrincipals the most principals that have an account of their own at one time
     * @param nanoClock     a monotonic clock in nanoseconds
     */
    public LocalBuckets(int maxPrincipals, LongSupplier nanoClock) {
        this.maxPrincipals = maxPrincipals;
        this.nanoClock = nanoClock;
    }

    @Override
    public Outcome take(String principal, Charge charge) {
        List<Take> takes = charge.takes();
        if (takes.isEmpty()) {
            return Outcome.FREE;
        }
        while (true) {
            Account own = find(principal);
            Look look = new Look(own, takes);
            if (look.refusedBy != null) {
                return look.refusal();
            }
            if (own == null) {
                own = open(principal);
            }
            if (takeAll(own, takes, look.wouldRefuse)) {
                return taken(own, takes, look.wouldRefuse);
            }
        }
    }

    /** The principals that have an account now. */
    public int principals() {
        return accounts.size();
    }

    /** Drops every bucket that a new one would replace as well, and every account that has none left. */
    public void sweep() {
        accounts.forEach((principal, account) -> {
            if (account.sweep(nanoClock, true)) {
                accounts.remove(principal, account);
            }
        });
        overflow.sweep(nanoClock, false);
    }

    /** Saves what has changed since the last time; what could not be saved is saved the next time. */
    public void saveTo(BucketSnapshots snapshots) {
        List<Account> changed = new ArrayList<>();
        List<BucketDebt> debts = new ArrayList<>();
        for (Account account = dirty.poll(); account != null; account = dirty.poll()) {
            account.clean();
            changed.add(account);
            for (TokenBucket bucket : account.buckets()) {
                debts.add(new BucketDebt(
                        account.principal(),
                        bucket.name(),
                        bucket.fullNanos(nanoClock),
                        bucket.shutNanos(Long.MAX_VALUE, nanoClock)));
            }
        }
        try {
            if (!debts.isEmpty()) {
                snapshots.save(debts);
            }
        } catch (RuntimeException e) {
            changed.forEach(this::soil);
            throw e;
        }
    }

    /** Takes over what was saved before, for buckets that this process has not yet opened itself. */
    public void restoreFrom(BucketSnapshots snapshots) {
        for (BucketDebt debt : snapshots.load()) {
            if (debt.fullNanos() > 0 || debt.shutNanos() > 0) {
                Account account = debt.bucket().level().personal() ? open(debt.principal()) : shared;
                account.add(new TokenBucket(debt.bucket(), debt.fullNanos(), debt.shutNanos(), nanoClock));
            }
        }
    }

    /** The account that a principal's takes come from; null if it has none yet, but may have one. */
    private @Nullable Account find(String principal) {
        Account account = accounts.get(principal);
        return account == null && accounts.size() >= maxPrincipals ? overflow : account;
    }

    private Account open(String principal) {
        Account account = find(principal);
        return account != null ? account : accounts.computeIfAbsent(principal, Account::new);
    }

    /** Takes everything, or answers false with nothing taken: another look is needed then. */
    private boolean takeAll(Account own, List<Take> takes, @Nullable Take passedOver) {
        for (int i = 0; i < takes.size(); i++) {
            Take take = takes.get(i);
            if (take.equals(passedOver)) {
                continue;
            }
            TokenBucket bucket = home(take, own).findOrAdd(take.bucket(), nanoClock);
            long answer = bucket == null ? TokenBucket.RETIRED : bucket.take(take.cost(), take.limit(), nanoClock);
            if (answer != TokenBucket.TAKEN) {
                giveBack(own, takes.subList(0, i), passedOver);
                return false;
            }
        }
        soil(own);
        return true;
    }

    private void giveBack(Account own, List<Take> takes, @Nullable Take passedOver) {
        for (Take take : takes) {
            TokenBucket bucket = home(take, own).find(take.bucket());
            if (bucket != null && !take.equals(passedOver)) {
                bucket.giveBack(take.cost(), take.limit());
            }
        }
    }

    private Outcome taken(Account own, List<Take> takes, @Nullable Take wouldRefuse) {
        Take tightest = takes.get(0);
        long fewest = Long.MAX_VALUE;
        long fullNanos = 0;
        for (Take take : takes) {
            TokenBucket bucket = home(take, own).find(take.bucket());
            long owed = bucket == null ? 0 : bucket.fullNanos(take.limit(), nanoClock);
            long left = left(take, owed);
            if (left < fewest) {
                fewest = left;
                tightest = take;
                fullNanos = owed;
            }
        }
        return new Outcome(null, null, 0, tightest, fewest, fullNanos, wouldRefuse);
    }

    private static long left(Take take, long owed) {
        Limit limit = take.limit();
        return limit.blocks() ? 0 : (limit.fillNanos() - owed) / limit.intervalNanos();
    }

    private Account home(Take take, Account own) {
        return take.bucket().level().personal() ? own : shared;
    }

    private void soil(Account account) {
        if (account != overflow && account.soil()) {
            dirty.add(account);
        }
        if (shared.soil()) {
            dirty.add(shared);
        }
    }

    /** One look at all the buckets of a charge: whether it can be taken, and if not, who refuses and for how long. */
    private final class Look {

        private @Nullable Take refusedBy;
        private Outcome.@Nullable Reason reason;
        private @Nullable Take wouldRefuse;
        private long waitNanos;
        private long remaining;
        private long fullNanos;

        Look(@Nullable Account own, List<Take> takes) {
            for (int i = 0; i < takes.size(); i++) {
                Take take = takes.get(i);
                Account account = take.bucket().level().personal() ? own : shared;
                look(take, account, account == null ? null : account.find(take.bucket()));
            }
        }

        private void look(Take take, @Nullable Account account, @Nullable TokenBucket bucket) {
            if (take.limit().blocks()) {
                refuse(take, Outcome.Reason.BLOCKED, Outcome.NEVER, bucket);
            } else if (bucket != null) {
                long wait = bucket.waitNanos(take.cost(), take.limit(), nanoClock);
                long shut = bucket.shutNanos(take.cooldownNanos(), nanoClock);
                if (refusedBy != null) {
                    // Somebody narrower has refused already; a wider one can only make the wait longer.
                    waitNanos = Math.max(waitNanos, Math.max(wait, shut));
                } else if (shut > 0) {
                    cooling(take, account, bucket, shut);
                } else if (wait > 0) {
                    long cooldown = take.cooldownNanos() > 0 ? bucket.shut(take.cooldownNanos(), nanoClock) : 0;
                    refuse(take, Outcome.Reason.EMPTY, Math.max(wait, cooldown), bucket);
                    changed(account);
                }
            }
        }

        private void cooling(Take take, @Nullable Account account, TokenBucket bucket, long shut) {
            boolean charged = bucket.take(take.cost(), take.limit(), nanoClock) == TokenBucket.TAKEN;
            long wait = bucket.waitNanos(take.cost(), take.limit(), nanoClock);
            refuse(take, charged ? Outcome.Reason.COOLING : Outcome.Reason.EMPTY, Math.max(wait, shut), bucket);
            changed(account);
        }

        private void refuse(Take take, Outcome.Reason why, long wait, @Nullable TokenBucket bucket) {
            if (take.mode() == Take.Mode.SHADOW) {
                wouldRefuse = take;
            } else if (refusedBy != null) {
                waitNanos = Math.max(waitNanos, wait);
            } else {
                refusedBy = take;
                reason = why;
                waitNanos = wait;
                fullNanos = bucket == null ? 0 : bucket.fullNanos(take.limit(), nanoClock);
                remaining = left(take, fullNanos);
            }
        }

        private void changed(@Nullable Account account) {
            if (account != null) {
                soil(account);
            }
        }

        private Outcome refusal() {
            return new Outcome(refusedBy, reason, waitNanos, refusedBy, remaining, fullNanos, wouldRefuse);
        }
    }
}
