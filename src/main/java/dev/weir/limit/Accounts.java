package dev.weir.limit;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The accounts of all principals, the one account of the shared levels, and the one of all principals for whom there was no
 * room. Knows which of them have changed since they were last saved. Safe for use by many threads.
 */
final class Accounts {

    private final int maxPrincipals;
    private final ConcurrentHashMap<String, Account> accounts = new ConcurrentHashMap<>();
    private final Account shared = new Account("");
    private final Account overflow = new Account("");
    private final LongAdder overflowed = new LongAdder();
    private final Queue<Account> dirty = new ConcurrentLinkedQueue<>();

    /** @param maxPrincipals the most principals that have an account of their own at one time */
    Accounts(int maxPrincipals) {
        this.maxPrincipals = maxPrincipals;
    }

    int size() {
        return accounts.size();
    }

    /** How many changes were made to the account of those for whom there was no room. */
    long overflowed() {
        return overflowed.sum();
    }

    /** The account of the shared levels. */
    Account shared() {
        return shared;
    }

    /** The account of those for whom there was no room. */
    Account overflow() {
        return overflow;
    }

    /** Tells of each bucket; of one principal's and the shared ones only, if one is named. */
    void each(@Nullable String principal, long now, Consumer<BucketState> each) {
        if (principal == null) {
            accounts.values().forEach(account -> account.each(now, each));
            overflow.each(now, each);
        } else {
            Account own = accounts.get(principal);
            if (own != null) {
                own.each(now, each);
            }
        }
        shared.each(now, each);
    }

    /** The account that a principal's takes come from; null if it has none yet, but may have one. */
    @Nullable
    Account find(String principal) {
        Account account = accounts.get(principal);
        return account == null && accounts.size() >= maxPrincipals ? overflow : account;
    }

    /** The account that a principal's takes come from. A new one has no more than the one of those who found no room. */
    Account open(String principal, long now) {
        Account account = find(principal);
        return account != null
                ? account
                : accounts.computeIfAbsent(principal, opened -> new Account(opened, overflow, now));
    }

    void sweep(long now) {
        accounts.forEach((principal, account) -> {
            if (account.sweep(now, true)) {
                accounts.remove(principal, account);
            }
        });
        overflow.sweep(now, false);
        shared.sweep(now, false);
    }

    /** Says that an account has changed. */
    void soil(Account account) {
        if (account == overflow) {
            overflowed.increment();
        }
        if (account.soil()) {
            dirty.add(account);
        }
    }

    void saveTo(BucketSnapshots snapshots, long now) {
        List<Account> changed = new ArrayList<>();
        List<BucketDebt> debts = new ArrayList<>();
        for (Account account = dirty.poll(); account != null; account = dirty.poll()) {
            account.clean();
            changed.add(account);
            account.debtsTo(debts, now);
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

    void restore(BucketDebt debt, long now) {
        // More than a whole filling is owed for calls that were promised tokens, and those have died with their
        // process.
        long owed = Math.min(debt.fullNanos(), debt.limit().fillNanos());
        if (owed > 0 || debt.shutNanos() > 0) {
            TokenBucket saved = TokenBucket.of(debt.bucket(), debt.limit(), owed, debt.shutNanos(), now);
            TokenBucket there = home(debt, now).add(saved);
            if (there != null && there != saved) {
                // Those for whom there is no room share a bucket, and none of them may come back with more than it had.
                there.oweAsMuchAs(saved, now);
            }
        }
    }

    private Account home(BucketDebt debt, long now) {
        if (!debt.bucket().level().personal()) {
            return shared;
        }
        return debt.principal().isEmpty() ? overflow : open(debt.principal(), now);
    }
}
