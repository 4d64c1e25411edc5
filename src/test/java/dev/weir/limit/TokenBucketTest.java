package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBucketTest {

    private static final BucketName NAME = new BucketName(Level.TOOL, "/mcp", "t");
    private static final Limit TWO_A_SECOND = Limit.of(2, 5);

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 1_000_000_007, Long.MAX_VALUE - 1_000_000_000, Long.MAX_VALUE, Long.MIN_VALUE + 1})
    void theTableHoldsFromAnyOriginOfTheClock(long origin) {
        // at ms, cost, answer: 0 taken, else the wait in ms
        double[][] table = {
            {0, 1, 0},
            {0, 1, 0},
            {0, 3, 0},
            {0, 1, 500},
            {0, 2, 1000},
            {499, 1, 1},
            {500, 1, 0},
            {500, 1, 500},
            {1500, 2, 0},
            {1500, 1, 500},
            {60_000, 5, 0},
            {60_000, 1, 500},
            {60_500, 1, 0}
        };
        ManualClock clock = new ManualClock(origin);
        TokenBucket bucket = new TokenBucket(NAME, 0, 0, clock);
        double now = 0;
        for (double[] row : table) {
            clock.advanceMillis(row[0] - now);
            now = row[0];
            assertThat(bucket.take((long) row[1], TWO_A_SECOND, clock))
                    .as("at %s ms for %s", row[0], row[1])
                    .isEqualTo(Math.round(row[2] * 1e6));
        }
    }

    @Test
    void aRefusedTakeSucceedsAfterExactlyItsWaitAndNotANanosecondBefore() {
        Random random = new Random(20261130);
        for (int round = 0; round < 2_000; round++) {
            Limit limit = Limit.of(random.nextDouble() * 1_000 + 0.001, 1 + random.nextInt(50));
            ManualClock clock = new ManualClock(random.nextLong());
            TokenBucket bucket = new TokenBucket(NAME, 0, 0, clock);
            long cost = 1L + random.nextInt((int) limit.capacity());
            long wait = 0;
            while (wait == 0) {
                wait = bucket.take(cost, limit, clock);
            }
            clock.advanceNanos(wait - 1);
            assertThat(bucket.take(cost, limit, clock)).isEqualTo(1);
            clock.advanceNanos(1);
            assertThat(bucket.take(cost, limit, clock)).isEqualTo(TokenBucket.TAKEN);
        }
    }

    @Test
    void agreesWithAnExactSlowModelOverRandomTakes() {
        Random random = new Random(42);
        ManualClock clock = new ManualClock(random.nextLong());
        TokenBucket bucket = new TokenBucket(NAME, 0, 0, clock);
        Limit limit = Limit.of(7, 13);
        // Credit in nanoseconds of refilling, counted up to a whole filling.
        long credit = limit.fillNanos();
        for (int step = 0; step < 120_000; step++) {
            long pause = random.nextInt(3) == 0 ? random.nextInt(400_000_000) : 0;
            clock.advanceNanos(pause);
            credit = Math.min(limit.fillNanos(), credit + pause);
            long cost = 1L + random.nextInt(4);
            long need = cost * limit.intervalNanos();
            long answer = bucket.take(cost, limit, clock);
            if (credit >= need) {
                assertThat(answer).isEqualTo(TokenBucket.TAKEN);
                credit -= need;
            } else {
                assertThat(answer).isEqualTo(need - credit);
            }
        }
    }

    @Test
    void pollingNeverPutsTheRefillOff() {
        Limit onceAMinute = Limit.of(1 / 60.0, 1);
        ManualClock clock = new ManualClock(5);
        TokenBucket bucket = new TokenBucket(NAME, 0, 0, clock);
        int grants = 0;
        for (int poll = 0; poll <= 60_000; poll++) {
            if (bucket.take(1, onceAMinute, clock) == TokenBucket.TAKEN) {
                grants++;
            }
            clock.advanceMillis(10);
        }
        // Ten minutes: one at the start and one a minute, but for the edge.
        assertThat(grants).isBetween(10, 11);
    }

    @Test
    void aSmallerLimitForgivesWhatIsOwedBeyondItAndALargerOneGivesNoRefill() {
        ManualClock clock = new ManualClock(0);
        TokenBucket bucket = new TokenBucket(NAME, 0, 0, clock);
        Limit large = Limit.of(1, 100);
        for (int i = 0; i < 100; i++) {
            assertThat(bucket.take(1, large, clock)).isEqualTo(TokenBucket.TAKEN);
        }
        Limit small = Limit.of(1, 2);
        assertThat(bucket.take(1, small, clock)).isEqualTo(1_000_000_000);
        assertThat(bucket.take(1, large, clock)).isEqualTo(1_000_000_000);
        clock.advanceMillis(1_000);
        assertThat(bucket.take(1, small, clock)).isNotEqualTo(TokenBucket.RETIRED);
    }

    @Test
    void whatIsGivenBackCanBeTakenAgain() {
        ManualClock clock = new ManualClock(0);
        TokenBucket bucket = new TokenBucket(NAME, 0, 0, clock);
        assertThat(bucket.take(5, TWO_A_SECOND, clock)).isEqualTo(TokenBucket.TAKEN);
        bucket.giveBack(5, TWO_A_SECOND);
        assertThat(bucket.take(5, TWO_A_SECOND, clock)).isEqualTo(TokenBucket.TAKEN);
        assertThat(bucket.take(1, TWO_A_SECOND, clock)).isPositive();
    }

    @Test
    void aCoolDownIsNeverExtendedAndNeverLongerThanThePolicySays() {
        ManualClock clock = new ManualClock(0);
        TokenBucket bucket = new TokenBucket(NAME, 0, 0, clock);
        long thirty = 30_000_000_000L;
        assertThat(bucket.shutNanos(thirty, clock)).isZero();
        assertThat(bucket.shut(thirty, clock)).isEqualTo(thirty);
        clock.advanceMillis(10_000);
        assertThat(bucket.shut(thirty, clock)).isEqualTo(20_000_000_000L);
        assertThat(bucket.shutNanos(5_000_000_000L, clock)).isEqualTo(5_000_000_000L);
        clock.advanceMillis(20_000);
        assertThat(bucket.shutNanos(thirty, clock)).isZero();
    }

    @Test
    void onlyABucketThatANewOneCouldReplaceIsRetired() {
        ManualClock clock = new ManualClock(0);
        TokenBucket bucket = new TokenBucket(NAME, 0, 0, clock);
        bucket.take(1, TWO_A_SECOND, clock);
        assertThat(bucket.retire(clock)).isFalse();
        bucket.shut(1_000_000_000L, clock);
        clock.advanceMillis(500);
        assertThat(bucket.retire(clock)).as("full, but cooling down").isFalse();
        clock.advanceMillis(500);
        assertThat(bucket.retire(clock)).isTrue();
        assertThat(bucket.take(1, TWO_A_SECOND, clock)).isEqualTo(TokenBucket.RETIRED);
    }

    @RepeatedTest(20)
    void manyThreadsAtOneInstantTakeExactlyWhatTheBucketHolds() throws Exception {
        LongSupplier still = () -> 17;
        TokenBucket bucket = new TokenBucket(NAME, 0, 0, still);
        Limit limit = Limit.of(1, 1_000);
        AtomicLong taken = new AtomicLong();
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(8);
        for (int i = 0; i < 8; i++) {
            threads.execute(() -> {
                await(start);
                for (int take = 0; take < 500; take++) {
                    if (bucket.take(1, limit, still) == TokenBucket.TAKEN) {
                        taken.incrementAndGet();
                    }
                }
            });
        }
        start.countDown();
        threads.shutdown();
        assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(taken).hasValue(1_000);
    }

    @Test
    void aThreadThatWasOvertakenWhileItReadTheClockGivesNothingTwice() {
        ManualClock clock = new ManualClock(0);
        TokenBucket bucket = new TokenBucket(NAME, 0, 0, clock);
        Limit limit = Limit.of(1, 3);
        AtomicLong others = new AtomicLong();
        // While this thread reads the clock, another one empties the bucket at a later instant.
        LongSupplier overtaken = () -> {
            long read = clock.getAsLong();
            if (others.get() == 0) {
                clock.advanceMillis(500);
                for (int i = 0; i < 3; i++) {
                    if (bucket.take(1, limit, clock) == TokenBucket.TAKEN) {
                        others.incrementAndGet();
                    }
                }
            }
            return read;
        };
        long answer = bucket.take(1, limit, overtaken);
        assertThat(others.get() + (answer == TokenBucket.TAKEN ? 1 : 0)).isEqualTo(3);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
