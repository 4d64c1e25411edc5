package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBucketTest {

    private static final BucketName NAME = new BucketName(Level.TOOL, "/mcp", "t");
    private static final Limit TWO_A_SECOND = Limit.of(2, 5);
    private static final long SECOND = 1_000_000_000L;

    private static TokenBucket full(Limit limit, long now) {
        return TokenBucket.of(NAME, limit, 0, 0, now);
    }

    /** Zero if the tokens were taken, else the wait that was told. */
    private static long take(TokenBucket bucket, long cost, Limit limit, ManualClock clock) {
        long answer = bucket.take(cost, limit, 0, clock.getAsLong());
        assertThat(answer).isNotPositive().isNotEqualTo(TokenBucket.RETIRED);
        return -answer;
    }

    /** Case O42, O43: whatever the origin of the clock, and whether it wraps. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 1_000_000_007, Long.MAX_VALUE - SECOND, Long.MAX_VALUE, Long.MIN_VALUE + 2})
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
        TokenBucket bucket = full(TWO_A_SECOND, origin);
        double now = 0;
        for (double[] row : table) {
            clock.advanceMillis(row[0] - now);
            now = row[0];
            assertThat(take(bucket, (long) row[1], TWO_A_SECOND, clock))
                    .as("at %s ms for %s", row[0], row[1])
                    .isEqualTo(Math.round(row[2] * 1e6));
        }
    }

    /** Case O44: whoever waits exactly as long as told is not refused because of rounding. */
    @Test
    void aRefusedTakeSucceedsAfterExactlyItsWaitAndNotANanosecondBefore() {
        Random random = new Random(20261130);
        for (int round = 0; round < Effort.of(2_000); round++) {
            Limit limit = Limit.of(random.nextDouble() * 1_000 + 0.001, 1 + random.nextInt(50));
            ManualClock clock = new ManualClock(random.nextLong());
            TokenBucket bucket = full(limit, clock.getAsLong());
            long cost = 1L + random.nextInt((int) limit.capacity());
            long wait = 0;
            while (wait == 0) {
                wait = take(bucket, cost, limit, clock);
            }
            assertThat(bucket.waitNanos(cost, limit, clock.getAsLong())).isEqualTo(wait);
            clock.advanceNanos(wait - 1);
            assertThat(take(bucket, cost, limit, clock)).isEqualTo(1);
            clock.advanceNanos(1);
            assertThat(take(bucket, cost, limit, clock)).isZero();
        }
    }

    /** Case O42: refused polls never put the refill off, at whatever rate. */
    @ParameterizedTest
    @CsvSource({"60, 10, 600, 10", "1200, 10, 7200, 6", "0.0035999892, 0.1, 0.36, 100"})
    void pollingNeverPutsTheRefillOff(double secondsEach, double pollMillis, double seconds, int theory) {
        Limit limit = Limit.of(1 / secondsEach, 1);
        ManualClock clock = new ManualClock(5);
        TokenBucket bucket = full(limit, clock.getAsLong());
        int grants = 0;
        for (double at = 0; at < seconds * 1_000; at += pollMillis) {
            grants += bucket.take(1, limit, 0, clock.getAsLong()) == 0 ? 1 : 0;
            clock.advanceMillis(pollMillis);
        }
        assertThat(grants).isBetween(theory - 1, theory + 1);
    }

    /** Two instants have a meaning of their own; a live bucket that would come to one is put off by a nanosecond or two. */
    @ParameterizedTest
    @ValueSource(longs = {-2, -1, 0, 1, 2})
    void aBucketThatIsFullAtOneOfTheTwoSpecialInstantsLives(long away) {
        ManualClock clock = new ManualClock(Long.MIN_VALUE + away - SECOND / 2);
        TokenBucket bucket = full(TWO_A_SECOND, clock.getAsLong());
        assertThat(take(bucket, 1, TWO_A_SECOND, clock)).isZero();
        assertThat(take(bucket, 4, TWO_A_SECOND, clock)).isLessThan(3);
        clock.advanceMillis(3_000);
        assertThat(take(bucket, 5, TWO_A_SECOND, clock)).isZero();
        assertThat(take(bucket, 1, TWO_A_SECOND, clock)).isEqualTo(SECOND / 2);
    }

    @Test
    void whatIsGivenBackCanBeTakenAgain() {
        ManualClock clock = new ManualClock(0);
        TokenBucket bucket = full(TWO_A_SECOND, 0);
        assertThat(take(bucket, 5, TWO_A_SECOND, clock)).isZero();
        bucket.giveBack(4);
        assertThat(take(bucket, 4, TWO_A_SECOND, clock)).isZero();
        assertThat(take(bucket, 1, TWO_A_SECOND, clock)).isPositive();
        bucket.giveBack(5);
        clock.advanceMillis(10_000);
        bucket.giveBack(5);
        assertThat(take(bucket, 5, TWO_A_SECOND, clock)).isZero();
        assertThat(take(bucket, 1, TWO_A_SECOND, clock))
                .as("never more than full")
                .isPositive();
    }

    @Test
    void tokensAreThereForThoseWhoMayWaitInTheOrderInWhichTheyCame() {
        TokenBucket bucket = full(TWO_A_SECOND, 0);
        assertThat(bucket.take(5, TWO_A_SECOND, SECOND, 0)).isZero();
        assertThat(bucket.take(1, TWO_A_SECOND, SECOND, 0)).isEqualTo(SECOND / 2);
        assertThat(bucket.take(1, TWO_A_SECOND, SECOND, 0)).isEqualTo(SECOND);
        assertThat(bucket.take(1, TWO_A_SECOND, SECOND, 0))
                .as("a third would wait longer than it may")
                .isEqualTo(-SECOND * 3 / 2);
        assertThat(bucket.take(1, TWO_A_SECOND, 0, SECOND))
                .as("whoever may not wait does not overtake those who do")
                .isEqualTo(-SECOND / 2);
        bucket.giveBack(1);
        assertThat(bucket.take(1, TWO_A_SECOND, 0, SECOND)).isZero();
    }

    @Test
    void aCoolDownIsNeverExtendedAndNeverLongerThanThePolicySays() {
        TokenBucket bucket = full(TWO_A_SECOND, 0);
        long thirty = 30 * SECOND;
        assertThat(bucket.shutNanos(thirty, 0)).isZero();
        assertThat(bucket.shut(thirty, 0)).isEqualTo(thirty);
        assertThat(bucket.shut(thirty, 10 * SECOND)).isEqualTo(20 * SECOND);
        assertThat(bucket.shutNanos(5 * SECOND, 10 * SECOND)).isEqualTo(5 * SECOND);
        assertThat(bucket.shutNanos(thirty, thirty)).isZero();
        assertThat(bucket.shut(thirty, thirty)).as("a new one").isEqualTo(thirty);
    }

    @Test
    void asManyCallsAreInFlightAsMayBe() {
        TokenBucket bucket = full(TWO_A_SECOND, 0);
        assertThat(bucket.enter(1, 2)).isTrue();
        assertThat(bucket.hasSlots(1, 2)).isTrue();
        assertThat(bucket.enter(1, 2)).isTrue();
        assertThat(bucket.hasSlots(1, 2)).isFalse();
        assertThat(bucket.enter(1, 2)).isFalse();
        bucket.leave(1);
        assertThat(bucket.enter(1, 2)).isTrue();
        assertThat(bucket.enter(1, 3)).as("a raised bound").isTrue();
    }

    @Test
    void callsThatComeTogetherAreInFlightTogetherOrNotAtAll() {
        TokenBucket bucket = full(TWO_A_SECOND, 0);
        assertThat(bucket.enter(2, 3)).isTrue();
        assertThat(bucket.hasSlots(2, 3)).isFalse();
        assertThat(bucket.enter(2, 3)).isFalse();
        assertThat(bucket.enter(1, 3)).isTrue();
        bucket.leave(2);
        assertThat(bucket.hasSlots(2, 3)).isTrue();
        assertThat(bucket.hasSlots(3, 3)).isFalse();
    }

    @Test
    void aWideBucketIsNeverShutAndLetsAnyNumberOfCallsBeInFlight() {
        TokenBucket bucket = TokenBucket.of(new BucketName(Level.CHANNEL, "/mcp", ""), TWO_A_SECOND, 0, SECOND, 0);
        assertThat(bucket.shut(SECOND, 0)).isZero();
        assertThat(bucket.shutNanos(SECOND, 0)).isZero();
        assertThat(bucket.enter(1, 1)).isTrue();
        assertThat(bucket.hasSlots(1, 1)).isTrue();
        assertThat(bucket.enter(1, 1)).isTrue();
        assertThat(bucket.retire(0)).isTrue();
    }

    @Test
    void onlyABucketThatANewOneCouldReplaceIsRetired() {
        TokenBucket bucket = full(TWO_A_SECOND, 0);
        bucket.take(1, TWO_A_SECOND, 0, 0);
        assertThat(bucket.retire(0)).isFalse();
        bucket.shut(SECOND, 0);
        assertThat(bucket.retire(SECOND / 2)).as("full, but cooling down").isFalse();
        bucket.enter(1, 1);
        assertThat(bucket.retire(SECOND)).as("full, but with a call in flight").isFalse();
        bucket.leave(1);
        assertThat(bucket.retire(SECOND)).isTrue();
        assertThat(bucket.retire(SECOND)).isTrue();
        assertThat(bucket.take(1, TWO_A_SECOND, 0, SECOND)).isEqualTo(TokenBucket.RETIRED);
        assertThat(bucket.take(1, Limit.of(9, 9), 0, SECOND)).isEqualTo(TokenBucket.RETIRED);
        assertThat(bucket.waitNanos(1, Limit.of(9, 9), SECOND)).isZero();
        assertThat(bucket.owedNanos(SECOND)).isZero();
        bucket.giveBack(1);
        assertThat(bucket.take(1, TWO_A_SECOND, 0, SECOND)).isEqualTo(TokenBucket.RETIRED);
    }

    @Test
    void aCopyOwesWhatItsModelOwes() {
        TokenBucket bucket = full(TWO_A_SECOND, 0);
        bucket.take(3, TWO_A_SECOND, 0, 0);
        bucket.shut(7 * SECOND, 0);
        TokenBucket copy = bucket.copy(SECOND / 2);
        assertThat(copy.owedNanos(SECOND / 2)).isEqualTo(SECOND);
        assertThat(copy.shutNanos(Long.MAX_VALUE, SECOND / 2)).isEqualTo(6 * SECOND + SECOND / 2);
        assertThat(copy.limit()).isEqualTo(TWO_A_SECOND);
        assertThat(copy.name()).isEqualTo(NAME);
    }

    /** Case O45. */
    @Tag(Effort.STORM)
    @RepeatedTest(20)
    void manyThreadsAtOneInstantTakeExactlyWhatTheBucketHolds() throws Exception {
        Limit limit = Limit.of(1, 1_000);
        TokenBucket bucket = full(limit, 17);
        AtomicLong taken = new AtomicLong();
        together(8, thread -> {
            for (int take = 0; take < 500; take++) {
                if (bucket.take(1, limit, 0, 17) == 0) {
                    taken.incrementAndGet();
                }
            }
        });
        assertThat(taken).hasValue(1_000);
    }

    @Test
    void whoeverHasReadTheClockLongAgoGetsNothingThatOthersHaveTaken() {
        Limit limit = Limit.of(1, 3);
        TokenBucket bucket = full(limit, 0);
        assertThat(bucket.take(3, limit, 0, SECOND / 2)).isZero();
        assertThat(bucket.take(1, limit, 0, 0)).isEqualTo(-SECOND * 3 / 2);
        assertThat(bucket.take(1, limit, 0, SECOND / 2)).isEqualTo(-SECOND);
    }

    interface Work {
        void run(int thread);
    }

    /** Runs the same work on many threads that begin together. */
    static void together(int count, Work work) throws InterruptedException {
        CountDownLatch start = new CountDownLatch(1);
        AtomicLong broken = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(count);
        for (int i = 0; i < count; i++) {
            int thread = i;
            threads.execute(() -> {
                try {
                    start.await();
                    work.run(thread);
                } catch (InterruptedException | RuntimeException | Error e) {
                    broken.incrementAndGet();
                }
            });
        }
        start.countDown();
        threads.shutdown();
        assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(broken).hasValue(0);
    }
}
