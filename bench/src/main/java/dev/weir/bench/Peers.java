package dev.weir.bench;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.LocalBucketBuilder;
import io.github.bucket4j.local.SynchronizationStrategy;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.time.Duration;

/** The other rate limiters, each made as its own manual makes it. */
final class Peers {

    private static final RateLimiterConfig NEVER_DRY = resilienceConfig(Integer.MAX_VALUE, Duration.ofSeconds(1));
    private static final RateLimiterConfig DRY = resilienceConfig(1, Duration.ofDays(1));

    private Peers() {}

    /** Bucket4j's bucket without a lock, on the clock of milliseconds that it takes by itself. */
    static Bucket bucket4j(Purse purse) {
        return builder(purse).build();
    }

    /** The same, on the clock of nanoseconds that all the others use. */
    static Bucket bucket4jNanos(Purse purse) {
        return builder(purse).withNanosecondPrecision().build();
    }

    /** Bucket4j's bucket under a lock. */
    static Bucket bucket4jSynchronized(Purse purse) {
        return builder(purse)
                .withSynchronizationStrategy(SynchronizationStrategy.SYNCHRONIZED)
                .build();
    }

    static AtomicRateLimiter resilience4j(Purse purse) {
        return new AtomicRateLimiter("limiter", purse == Purse.NEVER_DRY ? NEVER_DRY : DRY);
    }

    static RateLimiter guava(Purse purse) {
        return RateLimiter.create(purse == Purse.NEVER_DRY ? 1e9 : 0.000_01);
    }

    private static LocalBucketBuilder builder(Purse purse) {
        return purse == Purse.NEVER_DRY
                ? Bucket.builder()
                        .addLimit(limit ->
                                limit.capacity(1_000_000_000_000_000L).refillGreedy(1_000_000, Duration.ofSeconds(1)))
                : Bucket.builder().addLimit(limit -> limit.capacity(1).refillGreedy(1, Duration.ofDays(1)));
    }

    private static RateLimiterConfig resilienceConfig(int permits, Duration period) {
        return RateLimiterConfig.custom()
                .limitForPeriod(permits)
                .limitRefreshPeriod(period)
                .timeoutDuration(Duration.ZERO)
                .build();
    }
}
