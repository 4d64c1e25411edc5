package dev.weir.limit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one principal, or the shared ones: a small hash table with open addresses, replaced whole when a bucket comes
 * or goes. Looking up takes no lock, and touches hardly any bucket but the one that is looked for.
 *
 * <p>An account that has been swept empty is closed for good, so that a bucket is never added to one which is no longer found.
 */
final class Account {

    private static final @Nullable TokenBucket[] NONE = {null};
    private static final @Nullable TokenBucket[] CLOSED = {null};

    // Not an object of its own, because there may be millions of accounts.
    private static final VarHandle DIRTY;

    static {
        try {
            DIRTY = MethodHandles.lookup().findVarHandle(Account.class, "dirty", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String principal;
    private volatile boolean dirty;
    private volatile @Nullable TokenBucket[] buckets;

    Account(String principal) {
        this.principal = principal;
        this.buckets = NONE;
    }

    /** An account whose buckets have no more than those of another. */
    Account(String principal, Account like, long now) {
        this.principal = principal;
        this.buckets = table(like.all()
                .filter(bucket -> bucket.owedNanos(now) > 0 || bucket.shutNanos(Long.MAX_VALUE, now) > 0)
                .map(bucket -> bucket.copy(now))
                .toList());
    }

    /** Says that a bucket has changed; true for the first to say so since {@link #clean}. */
    boolean soil() {
        return !dirty && DIRTY.compareAndSet(this, false, true);
    }

    /** Begins to collect changes anew. */
    void clean() {
        dirty = false;
    }

    /** Adds what the buckets owe now to a list. */
    void debtsTo(List<BucketDebt> debts, long now) {
        all().map(bucket -> new BucketDebt(
                        principal,
                        bucket.name(),
                        bucket.limit(),
                        bucket.owedNanos(now),
                        bucket.shutNanos(Long.MAX_VALUE, now)))
                .forEach(debts::add);
    }

    /** Tells how each bucket stands, and changes none. */
    void each(long now, Consumer<BucketState> each) {
        all().map(bucket -> new BucketState(
                        principal,
                        bucket.name(),
                        bucket.limit(),
                        bucket.owedNanos(now),
                        bucket.shutNanos(Long.MAX_VALUE, now),
                        bucket.inFlight()))
                .forEach(each);
    }

    @Nullable
    TokenBucket find(BucketName name) {
        return find(buckets, name);
    }

    /** The bucket of this name, made full if there was none; null if the account is closed. */
    @Nullable
    TokenBucket findOrAdd(BucketName name, Limit limit, long now) {
        TokenBucket found = find(buckets, name);
        return found != null ? found : add(TokenBucket.of(name, limit, 0, 0, now));
    }

    /** Adds a bucket unless there is one of its name; answers the one that stands then, or null if the account is closed. */
    synchronized @Nullable TokenBucket add(TokenBucket bucket) {
        @Nullable TokenBucket[] old = buckets;
        if (old == CLOSED) {
            return null;
        }
        TokenBucket found = find(old, bucket.name());
        if (found != null) {
            return found;
        }
        buckets = with(old, bucket);
        return bucket;
    }

    /** Drops the buckets that a new one would replace as well; true if none was left and the account is closed now. */
    synchronized boolean sweep(long now, boolean closeWhenEmpty) {
        List<TokenBucket> old = all().toList();
        List<TokenBucket> kept =
                old.stream().filter(bucket -> !bucket.retire(now)).toList();
        boolean close = closeWhenEmpty && kept.isEmpty();
        if (close) {
            buckets = CLOSED;
        } else if (kept.size() < old.size()) {
            buckets = table(kept);
        }
        return close;
    }

    private Stream<TokenBucket> all() {
        return Arrays.stream(buckets).filter(Objects::nonNull);
    }

    /** A table with as many places as the next power of two, all of which may be taken: memory counts for more than a step. */
    private static @Nullable TokenBucket[] table(List<TokenBucket> buckets) {
        if (buckets.isEmpty()) {
            return NONE;
        }
        int size = Integer.highestOneBit(2 * buckets.size() - 1);
        @Nullable TokenBucket[] table = new TokenBucket[size];
        for (TokenBucket bucket : buckets) {
            put(table, bucket);
        }
        return table;
    }

    /** A table with one bucket more, as large as {@link #table} would make it. */
    private static @Nullable TokenBucket[] with(@Nullable TokenBucket[] old, TokenBucket bucket) {
        @Nullable TokenBucket[] table = old.clone();
        if (isTaken(old)) {
            table = new TokenBucket[2 * old.length];
            for (TokenBucket other : old) {
                if (other != null) {
                    put(table, other);
                }
            }
        }
        put(table, bucket);
        return table;
    }

    private static boolean isTaken(@Nullable TokenBucket[] table) {
        for (TokenBucket bucket : table) {
            if (bucket == null) {
                return false;
            }
        }
        return true;
    }

    /** Puts a bucket into a table that has a free place. */
    private static void put(@Nullable TokenBucket[] table, TokenBucket bucket) {
        int mask = table.length - 1;
        int at = bucket.name().hashCode() & mask;
        while (table[at] != null) {
            at = (at + 1) & mask;
        }
        table[at] = bucket;
    }

    private static @Nullable TokenBucket find(@Nullable TokenBucket[] table, BucketName name) {
        int mask = table.length - 1;
        int at = name.hashCode() & mask;
        for (int steps = 0; steps <= mask; steps++) {
            TokenBucket bucket = table[at];
            if (bucket == null || bucket.name().equals(name)) {
                return bucket;
            }
            at = (at + 1) & mask;
        }
        return null;
    }
}
