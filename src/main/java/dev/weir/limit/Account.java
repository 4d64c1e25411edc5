package dev.weir.limit;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one principal, or the shared ones: a small table, sorted by the hash of their names and replaced whole when a
 * bucket comes or goes. Looking up takes no lock.
 *
 * <p>An account that has been swept empty is closed for good, so that a bucket is never added to one which is no longer found.
 */
final class Account {

    private static final TokenBucket[] NONE = {};
    private static final TokenBucket[] CLOSED = {};

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
    private volatile TokenBucket[] buckets;

    Account(String principal) {
        this.principal = principal;
        this.buckets = NONE;
    }

    /** An account whose buckets have no more than those of another. */
    Account(String principal, Account like, long now) {
        this.principal = principal;
        this.buckets = Arrays.stream(like.buckets)
                .filter(bucket -> bucket.owedNanos(now) > 0 || bucket.shutNanos(Long.MAX_VALUE, now) > 0)
                .map(bucket -> new TokenBucket(bucket, now))
                .toArray(TokenBucket[]::new);
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
        for (TokenBucket bucket : buckets) {
            debts.add(new BucketDebt(
                    principal,
                    bucket.name(),
                    bucket.limit(),
                    bucket.owedNanos(now),
                    bucket.shutNanos(Long.MAX_VALUE, now)));
        }
    }

    @Nullable
    TokenBucket find(BucketName name) {
        return find(buckets, name);
    }

    /** The bucket of this name, made full if there was none; null if the account is closed. */
    @Nullable
    TokenBucket findOrAdd(BucketName name, Limit limit, long now) {
        TokenBucket found = find(buckets, name);
        return found != null ? found : add(new TokenBucket(name, limit, 0, 0, now));
    }

    /** Adds a bucket unless there is one of its name; answers the one that stands then, or null if the account is closed. */
    synchronized @Nullable TokenBucket add(TokenBucket bucket) {
        TokenBucket[] old = buckets;
        if (old == CLOSED) {
            return null;
        }
        TokenBucket found = find(old, bucket.name());
        if (found != null) {
            return found;
        }
        int at = firstAtOrAbove(old, bucket.name().hashCode());
        TokenBucket[] grown = new TokenBucket[old.length + 1];
        System.arraycopy(old, 0, grown, 0, at);
        grown[at] = bucket;
        System.arraycopy(old, at, grown, at + 1, old.length - at);
        buckets = grown;
        return bucket;
    }

    /** Drops the buckets that a new one would replace as well; true if none was left and the account is closed now. */
    synchronized boolean sweep(long now, boolean closeWhenEmpty) {
        TokenBucket[] old = buckets;
        TokenBucket[] kept =
                Arrays.stream(old).filter(bucket -> !bucket.retire(now)).toArray(TokenBucket[]::new);
        boolean close = closeWhenEmpty && kept.length == 0;
        if (close) {
            buckets = CLOSED;
        } else if (kept.length < old.length) {
            buckets = kept;
        }
        return close;
    }

    private static @Nullable TokenBucket find(TokenBucket[] sorted, BucketName name) {
        int hash = name.hashCode();
        for (int i = firstAtOrAbove(sorted, hash); i < sorted.length; i++) {
            BucketName at = sorted[i].name();
            if (at.hashCode() != hash) {
                return null;
            }
            if (at.equals(name)) {
                return sorted[i];
            }
        }
        return null;
    }

    private static int firstAtOrAbove(TokenBucket[] sorted, int hash) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle].name().hashCode() < hash) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
