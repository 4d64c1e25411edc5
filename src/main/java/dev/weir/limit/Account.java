package dev.weir.limit;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
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

    private final String principal;
    private final AtomicBoolean dirty = new AtomicBoolean();
    private volatile TokenBucket[] buckets = NONE;

    Account(String principal) {
        this.principal = principal;
    }

    String principal() {
        return principal;
    }

    /** Says that a bucket has changed; true for the first to say so since {@link #clean}. */
    boolean soil() {
        return !dirty.get() && dirty.compareAndSet(false, true);
    }

    /** Begins to collect changes anew. */
    void clean() {
        dirty.set(false);
    }

    TokenBucket[] buckets() {
        return buckets;
    }

    @Nullable
    TokenBucket find(BucketName name) {
        return find(buckets, name);
    }

    /** The bucket of this name, made full if there was none; null if the account is closed. */
    @Nullable
    TokenBucket findOrAdd(BucketName name, LongSupplier nanoClock) {
        TokenBucket found = find(buckets, name);
        return found != null ? found : add(new TokenBucket(name, 0, 0, nanoClock));
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
    synchronized boolean sweep(LongSupplier nanoClock, boolean closeWhenEmpty) {
        TokenBucket[] old = buckets;
        TokenBucket[] kept =
                Arrays.stream(old).filter(bucket -> !bucket.retire(nanoClock)).toArray(TokenBucket[]::new);
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
