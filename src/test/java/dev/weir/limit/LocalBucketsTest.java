package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocalBucketsTest {

    private static final long SECOND = 1_000_000_000L;

    private final ManualClock clock = new ManualClock(Long.MAX_VALUE - 1_000);
    private final LocalBuckets buckets = new LocalBuckets(1_000, clock);

    private static Take take(Level level, String tool, double rate, long burst, int cooldownSeconds) {
        Limit limit = Limit.of(rate, burst);
        return take(level, tool, new Tier(level.word(), limit, cooldownSeconds * SECOND, 0, 0, Tier.Mode.ENFORCE));
    }

    private static Take take(Level level, String tool, Tier tier) {
        String route = level == Level.GLOBAL ? "" : "/mcp";
        return new Take(new BucketName(level, route, tool), tier, 1);
    }

    private static Take shadow(Take take) {
        Tier tier = take.tier();
        return new Take(
                take.bucket(),
                new Tier(
                        tier.name(),
                        tier.limit(),
                        tier.cooldownNanos(),
                        tier.maxConcurrent(),
                        tier.maxWaitNanos(),
                        Tier.Mode.SHADOW),
                take.cost());
    }

    private static Take plain(String route, String tool, double rate, long burst, long cost) {
        return new Take(new BucketName(Level.TOOL, route, tool), Tier.of("x", Limit.of(rate, burst)), cost);
    }

    private boolean taken(String principal, Charge charge) {
        return buckets.take(principal, charge) instanceof Outcome.Taken;
    }

    private Outcome.Taken admitted(String principal, Charge charge) {
        return (Outcome.Taken) buckets.take(principal, charge);
    }

    private Outcome.Refused refused(String principal, Charge charge) {
        return (Outcome.Refused) buckets.take(principal, charge);
    }

    private static Charge charge(Take... takes) {
        return new Charge(List.of(takes));
    }

    private static long left(Outcome.Taken taken) {
        return Objects.requireNonNull(taken.tightest()).tier().limit().tokensLeft(taken.owedNanos());
    }

    private int takenInARow(String principal, Charge charge, int calls) {
        int taken = 0;
        for (int i = 0; i < calls; i++) {
            taken += taken(principal, charge) ? 1 : 0;
        }
        return taken;
    }

    @Test
    void everyPrincipalHasItsOwnBucketAtThePersonalLevelsAndSharesTheWiderOnes() {
        Charge charge = charge(
                take(Level.TOOL, "t", 1, 5, 0),
                take(Level.CHANNEL, "", 1, 100, 0),
                take(Level.ROUTE, "", 1, 100, 0),
                take(Level.GLOBAL, "", 1, 8, 0));

        assertThat(takenInARow("client:a", charge, 10)).isEqualTo(5);
        assertThat(takenInARow("client:b", charge, 10)).isEqualTo(3);
        assertThat(refused("client:b", charge).by()).isEqualTo(charge.takes().get(3));
    }

    @Test
    void aCallThatIsRefusedAtAnyLevelTakesNothingAtTheOthers() {
        Take tool = take(Level.TOOL, "t", 1, 2, 0);
        Take channel = take(Level.CHANNEL, "", 1, 10, 0);
        Take global = take(Level.GLOBAL, "", 1, 4, 0);
        assertThat(takenInARow("client:a", charge(tool, channel, global), 50)).isEqualTo(2);
        assertThat(left(admitted("client:a", charge(channel))))
                .as("fifty calls, of which two were admitted, and this one")
                .isEqualTo(7);
        assertThat(takenInARow("client:b", charge(global), 50)).isEqualTo(2);

        clock.advanceMillis(2_000);
        assertThat(takenInARow("client:c", charge(global), 50)).isEqualTo(2);
        Outcome.Refused refused = refused("client:a", charge(tool, channel, global));
        assertThat(refused.by()).isEqualTo(global);
        assertThat(takenInARow("client:a", charge(tool), 50))
                .as("the tool's bucket was left alone")
                .isEqualTo(2);
    }

    @Test
    void theWaitIsThatOfTheLongestLevelAndTrue() {
        Take tool = take(Level.TOOL, "t", 10, 1, 0);
        Take channel = take(Level.CHANNEL, "", 0.5, 1, 0);
        Charge both = charge(tool, channel);
        assertThat(taken("client:a", both)).isTrue();

        Outcome.Refused refused = refused("client:a", both);

        assertThat(refused.by()).isEqualTo(tool);
        assertThat(refused.waitNanos()).isEqualTo(2_000_000_000L);
        clock.advanceNanos(refused.waitNanos() - 1);
        assertThat(taken("client:a", both)).isFalse();
        clock.advanceNanos(1);
        assertThat(taken("client:a", both)).isTrue();
    }

    @Test
    void aBucketThatHasRefusedStaysShutForItsCoolDownAndIsChargedAllTheSame() {
        Charge heavy = charge(take(Level.TOOL, "t", 2, 5, 30));
        assertThat(takenInARow("client:a", heavy, 5)).isEqualTo(5);
        Outcome.Refused sixth = refused("client:a", heavy);
        assertThat(sixth.reason()).isEqualTo(Outcome.Reason.EMPTY);
        assertThat(sixth.waitNanos()).isEqualTo(30_000_000_000L);

        clock.advanceMillis(1_000);
        assertThat(refused("client:a", heavy).reason()).isEqualTo(Outcome.Reason.COOLING);
        assertThat(refused("client:a", heavy).reason()).isEqualTo(Outcome.Reason.COOLING);
        Outcome.Refused third = refused("client:a", heavy);
        assertThat(third.reason())
                .as("two tokens had come back, and were charged")
                .isEqualTo(Outcome.Reason.EMPTY);
        assertThat(third.waitNanos()).isEqualTo(29_000_000_000L);

        clock.advanceNanos(third.waitNanos() - 1);
        assertThat(taken("client:a", heavy)).isFalse();
        clock.advanceNanos(1);
        assertThat(taken("client:a", heavy)).isTrue();
    }

    @Test
    void aShadowedTakeRefusesNobodyAndIsTold() {
        Take tool = shadow(take(Level.TOOL, "t", 1, 1, 30));
        Take channel = take(Level.CHANNEL, "", 1, 3, 0);
        Charge charge = charge(tool, channel);

        assertThat(admitted("client:a", charge).wouldRefuse()).isNull();
        Outcome.Taken second = admitted("client:a", charge);
        assertThat(second.wouldRefuse()).isEqualTo(tool);
        assertThat(taken("client:a", charge)).isTrue();
        assertThat(refused("client:a", charge).by())
                .as("shadow never turns a real refusal into an admission")
                .isEqualTo(channel);
    }

    @Test
    void aShadowedRateOfZeroRefusesNobodyEitherAndIsTold() {
        Take tool = shadow(take(Level.TOOL, "t", 0, 0, 0));
        Take channel = take(Level.CHANNEL, "", 1, 2, 0);
        for (int i = 0; i < 2; i++) {
            assertThat(admitted("client:a", charge(tool, channel)).wouldRefuse())
                    .isEqualTo(tool);
        }
        assertThat(refused("client:a", charge(tool, channel)).by()).isEqualTo(channel);
    }

    @Test
    void ofTwoLevelsWithAsManyTokensLeftTheNarrowerIsTold() {
        Take tool = take(Level.TOOL, "t", 1, 5, 0);
        Take global = take(Level.GLOBAL, "", 1, 5, 0);
        assertThat(admitted("client:a", charge(tool, global)).tightest()).isEqualTo(tool);
        assertThat(admitted("client:b", charge(tool, global)).tightest()).isEqualTo(global);
    }

    /** Case O49: numbers that look strange and are accepted work as written; nothing is ever unlimited by accident. */
    @ParameterizedTest
    @CsvSource({
        // rate, burst, calls at once that are let in, wait in nanoseconds of the one after them
        "1000, 1, 1, 1000000",
        "1000000, 1, 1, 1000",
        "0.0001, 1, 1, 10000000000000",
        "0.0001, 3, 3, 10000000000000",
        "0, 5, 0, 9223372036854775807",
        "0, 9223372036854775807, 0, 9223372036854775807"
    })
    void strangeNumbersWorkAsWritten(double rate, long burst, int let, long wait) {
        Charge charge = charge(take(Level.TOOL, "t", rate, burst, 0));
        assertThat(takenInARow("client:a", charge, 10)).isEqualTo(let);
        assertThat(refused("client:a", charge).waitNanos()).isEqualTo(wait);
        clock.advanceNanos(wait - 1);
        assertThat(taken("client:a", charge)).isFalse();
        buckets.sweep();
        clock.advanceNanos(1);
        assertThat(takenInARow("client:a", charge, 10)).isEqualTo(Math.min(let, 1));
    }

    /** Case O49. */
    @Test
    void aBurstBeyondIntIsCountedToItsEnd() {
        long burst = 1L << 31;
        Take one = take(Level.TOOL, "t", 1, burst, 0);
        Take all = new Take(one.bucket(), one.tier(), burst);
        assertThat(left(admitted("client:a", charge(one)))).isEqualTo(burst - 1);
        assertThat(refused("client:a", charge(all)).waitNanos()).isEqualTo(SECOND);
        assertThat(left(admitted("client:b", charge(all)))).isZero();
        assertThat(taken("client:b", charge(one))).isFalse();
    }

    @Test
    void aRateOfZeroRefusesForGoodAndNamesNoWait() {
        Outcome.Refused refused = refused("client:a", charge(take(Level.TOOL, "t", 0, 0, 30)));

        assertThat(refused.reason()).isEqualTo(Outcome.Reason.BLOCKED);
        assertThat(refused.waitNanos()).isEqualTo(Outcome.NEVER);
    }

    @Test
    void aCostThatNoBucketCouldEverHoldIsRefusedWhenItIsWritten() {
        assertThatThrownBy(() -> plain("/mcp", "t", 1, 5, 6))
                .hasMessageContaining("a cost of 6 never fits into a burst of 5");
    }

    @Test
    void namesThatWouldReadAlikeWhenJoinedHaveBucketsOfTheirOwn() {
        Charge first = charge(plain("/a", "b/c", 1, 1, 1));
        Charge second = charge(plain("/a/b", "c", 1, 1, 1));

        assertThat(taken("client:a", first)).isTrue();
        assertThat(taken("client:a", second)).isTrue();
        assertThat(taken("client:a:b", first)).isTrue();
        assertThat(taken("client:a", first)).isFalse();
    }

    @Test
    void aFullBucketIsForgottenAndNobodyGetsMoreForIt() {
        Charge charge = charge(take(Level.TOOL, "t", 1, 2, 0));
        assertThat(takenInARow("client:a", charge, 9)).isEqualTo(2);
        buckets.sweep();
        assertThat(buckets.principals()).isEqualTo(1);
        assertThat(takenInARow("client:a", charge, 9)).isZero();
        clock.advanceMillis(2_000);
        buckets.sweep();
        assertThat(buckets.principals()).isZero();
        assertThat(takenInARow("client:a", charge, 9)).isEqualTo(2);
    }

    @Test
    void aFloodOfPrincipalsSharesOneAccountAndRefillsNobody() {
        Charge charge = charge(take(Level.TOOL, "t", 0.001, 2, 0));
        assertThat(takenInARow("client:a", charge, 9)).isEqualTo(2);
        int taken = 0;
        for (int i = 0; i < Effort.of(100_000); i++) {
            taken += taken("address:" + i, charge) ? 1 : 0;
        }
        assertThat(buckets.principals()).isEqualTo(1_000);
        assertThat(taken).isEqualTo(999 + 2);
        assertThat(takenInARow("client:a", charge, 9)).isZero();
    }

    @Test
    void debtsAndCoolDownsOutliveTheProcess() {
        Charge heavy = charge(take(Level.TOOL, "t", 2, 5, 30), take(Level.GLOBAL, "", 1, 100, 0));
        assertThat(takenInARow("client:a", heavy, 6)).isEqualTo(5);
        Kept kept = new Kept();
        buckets.saveTo(kept);
        assertThat(kept.debts).hasSize(2);

        LocalBuckets next = new LocalBuckets(1_000, clock);
        next.restoreFrom(kept);

        Outcome.Refused first = (Outcome.Refused) next.take("client:a", heavy);
        assertThat(first.waitNanos()).isEqualTo(30_000_000_000L);
        assertThat(next.take("client:b", heavy)).isInstanceOf(Outcome.Taken.class);
    }

    @Test
    void whatCouldNotBeSavedIsSavedTheNextTime() {
        buckets.take("client:a", charge(take(Level.TOOL, "t", 2, 5, 30)));
        Kept kept = new Kept();
        kept.away = true;
        assertThatThrownBy(() -> buckets.saveTo(kept)).isInstanceOf(IllegalStateException.class);
        kept.away = false;
        buckets.saveTo(kept);
        assertThat(kept.debts).extracting(BucketDebt::principal).containsExactly("client:a");
        kept.debts.clear();
        buckets.saveTo(kept);
        assertThat(kept.debts).as("nothing has changed since").isEmpty();
    }

    @Tag(Effort.STORM)
    @RepeatedTest(50)
    void twoHundredThreadsOnANewKeyOfCapacityOneGetExactlyOneGrant() throws Exception {
        LocalBuckets fresh = new LocalBuckets(1_000, () -> 99);
        Charge charge = charge(take(Level.TOOL, "t", 1, 1, 0), take(Level.CHANNEL, "", 1, 50, 0));
        AtomicLong grants = new AtomicLong();
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(200);
        for (int i = 0; i < 200; i++) {
            boolean sweeps = i % 10 == 0;
            threads.execute(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                if (sweeps) {
                    fresh.sweep();
                } else if (fresh.take("client:a", charge) instanceof Outcome.Taken) {
                    grants.incrementAndGet();
                }
            });
        }
        start.countDown();
        threads.shutdown();
        assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(grants).hasValue(1);
    }

    /** Keeps debts in a list. */
    private static final class Kept implements BucketSnapshots {
        private final List<BucketDebt> debts = new ArrayList<>();
        private boolean away;

        @Override
        public void save(List<BucketDebt> more) {
            if (away) {
                throw new IllegalStateException("away");
            }
            debts.addAll(more);
        }

        @Override
        public void load(Consumer<BucketDebt> each) {
            debts.forEach(each);
        }
    }

    @Test
    @Timeout(10)
    void aChargeWithSeveralTakesThatAreOnlyTriedOutIsTakenHoweverManyOfThemAreEmpty() {
        Charge batch =
                charge(shadow(plain("/r", "a", 1, 1, 1)), shadow(plain("/r", "b", 1, 1, 1)), plain("/r", "c", 1, 5, 1));
        assertThat(admitted("p", batch).wouldRefuse()).isNull();
        for (int i = 0; i < 4; i++) {
            Outcome.Taken taken = admitted("p", batch);
            assertThat(taken.wouldRefuse()).isNotNull();
        }
        assertThat(refused("p", batch).by().bucket().tool()).isEqualTo("c");
    }
}
