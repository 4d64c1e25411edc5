package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Case O63: a limit that changes counts for buckets that stand, keeps their tokens, and is never a refill. */
class ChangedLimitTest {

    private static final BucketName NAME = new BucketName(Level.TOOL, "/mcp", "t");
    private static final long SECOND = 1_000_000_000L;

    @ParameterizedTest
    @CsvSource({
        // rate, burst, tokens left, new rate, new burst, tokens then
        "1, 5, 0, 1, 10, 0",
        "1, 5, 0, 1, 2, 0",
        "1, 5, 0, 0.01, 5, 0",
        "0.01, 5, 0, 100, 500, 0",
        "1, 5, 3, 1, 10, 3",
        "1, 5, 3, 7, 4, 3",
        "1, 5, 3, 7, 2, 2",
        "1, 5, 5, 7, 2, 2",
        "1, 5, 5, 7, 50, 5",
    })
    void theTokensThatAreLeftStayCutToTheNewBurst(
            double rate, long burst, long left, double newRate, long newBurst, long then) {
        Limit before = Limit.of(rate, burst);
        Limit after = Limit.of(newRate, newBurst);
        for (long origin : new long[] {0, -1, Long.MAX_VALUE, Long.MIN_VALUE + 1_000}) {
            TokenBucket bucket = TokenBucket.of(NAME, before, 0, 0, origin);
            if (left < burst) {
                assertThat(bucket.take(burst - left, before, 0, origin)).isZero();
            }
            long taken = 0;
            while (bucket.take(1, after, 0, origin) == 0) {
                taken++;
            }
            assertThat(taken).as("from %s", origin).isEqualTo(then);
            assertThat(bucket.waitNanos(1, after, origin))
                    .as("the next comes at the new rate")
                    .isBetween(after.intervalNanos() - 1, after.intervalNanos() + 3);
        }
    }

    @Test
    void anEqualLimitFromAnotherPolicyChangesNothing() {
        Limit limit = Limit.of(2, 5);
        TokenBucket bucket = TokenBucket.of(NAME, limit, 0, 0, 0);
        bucket.take(5, limit, 0, 0);
        for (int reload = 0; reload < 20; reload++) {
            assertThat(bucket.take(1, Limit.of(2, 5), 0, 0)).isEqualTo(-SECOND / 2);
        }
        assertThat(bucket.take(1, Limit.of(2, 5), 0, SECOND / 2)).isZero();
    }

    /** Two rates that come to the same nanoseconds: also then nobody may count under the one what was read under the other. */
    @Test
    void aChangeThatLeavesTheNumbersAsTheyAreIsSeenByWhoeverReadBeforeAndGivesNothing() {
        Limit before = Limit.of(300_000.1, 5);
        Limit after = Limit.of(300_000.2, 5);
        assertThat(after.intervalNanos()).isEqualTo(before.intervalNanos());
        TokenBucket bucket = TokenBucket.of(NAME, before, 0, 0, 0);
        bucket.take(3, before, 0, 0);
        long owed = bucket.owedNanos(0);
        assertThat(bucket.waitNanos(2, after, 0))
                .as("one nanosecond later than before")
                .isEqualTo(1);
        assertThat(bucket.owedNanos(0)).isEqualTo(owed + 1);
    }

    @Test
    void toAndFroGivesNothing() {
        Limit small = Limit.of(1, 2);
        Limit large = Limit.of(3, 40);
        TokenBucket bucket = TokenBucket.of(NAME, large, 0, 0, 0);
        bucket.take(40, large, 0, 0);
        for (int edit = 0; edit < 1_000; edit++) {
            assertThat(bucket.take(1, edit % 2 == 0 ? small : large, 0, 0)).isNegative();
        }
    }

    @Test
    void tokensThatWerePromisedAreStillOwedUnderAnotherLimit() {
        Limit before = Limit.of(1, 2);
        Limit after = Limit.of(10, 2);
        TokenBucket bucket = TokenBucket.of(NAME, before, 0, 0, 0);
        bucket.take(2, before, 0, 0);
        assertThat(bucket.take(1, before, SECOND, 0)).isEqualTo(SECOND);
        assertThat(bucket.waitNanos(1, after, 0)).as("one owed and one wanted").isBetween(SECOND / 5, SECOND / 5 + 3);
    }

    /** An exact model in decimals of whole tokens, over takes, pauses and edits at random. */
    @Test
    void agreesWithAnExactModelOverRandomEdits() {
        Random random = new Random(63);
        long now = Long.MAX_VALUE - 5 * SECOND;
        Limit limit = Limit.of(2, 5);
        TokenBucket bucket = TokenBucket.of(NAME, limit, 0, 0, now);
        BigDecimal tokens = BigDecimal.valueOf(5);
        for (int step = 0; step < Effort.of(60_000); step++) {
            long pause = random.nextInt(3) == 0 ? random.nextInt(400_000_000) : 0;
            now += pause;
            tokens = grown(tokens, pause, limit);
            if (random.nextInt(4) == 0) {
                limit = Limit.of(1 + random.nextInt(20), 3 + random.nextInt(20));
                tokens = tokens.min(BigDecimal.valueOf(limit.capacity()));
            }
            long cost = 1L + random.nextInt(3);
            boolean taken = bucket.take(cost, limit, 0, now) == 0;
            BigDecimal spare = tokens.subtract(BigDecimal.valueOf(cost));
            // Each edit may cost a bucket a few nanoseconds, but never gives it one.
            if (spare.signum() < 0) {
                assertThat(taken)
                        .as("step %s, %s tokens for %s", step, tokens, cost)
                        .isFalse();
            } else if (spare.compareTo(new BigDecimal("0.001")) > 0) {
                assertThat(taken)
                        .as("step %s, %s tokens for %s", step, tokens, cost)
                        .isTrue();
            }
            if (taken) {
                tokens = spare;
            }
        }
    }

    private static BigDecimal grown(BigDecimal tokens, long nanos, Limit limit) {
        BigDecimal more =
                BigDecimal.valueOf(nanos).divide(BigDecimal.valueOf(limit.intervalNanos()), 18, RoundingMode.HALF_UP);
        return tokens.add(more).min(BigDecimal.valueOf(limit.capacity()));
    }

    /** Case O45: the bound holds at a policy reload too, when calls under the old and the new policy are under way together. */
    @Tag(Effort.STORM)
    @RepeatedTest(50)
    void twoHundredThreadsUnderTwoPoliciesGetExactlyWhatTheBucketHolds() throws Exception {
        Limit before = Limit.of(1, 1);
        Limit after = Limit.of(0.5, 1);
        TokenBucket bucket = TokenBucket.of(NAME, before, 0, 0, 5);
        AtomicLong grants = new AtomicLong();
        TokenBucketTest.together(200, thread -> {
            if (bucket.take(1, thread % 2 == 0 ? before : after, 0, 5) == 0) {
                grants.incrementAndGet();
            }
        });
        assertThat(grants).hasValue(1);
    }
}
