package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class LocalBucketsTest {

    private final ManualClock clock = new ManualClock(Long.MAX_VALUE - 1_000);
    private final LocalBuckets buckets = new LocalBuckets(1_000, clock);

    private static Take take(Level level, String tool, double rate, long burst, int cooldownSeconds) {
        String route = level == Level.GLOBAL ? "" : "/mcp";
        return new Take(
                new BucketName(level, route, tool),
                Limit.of(rate, burst),
                1,
                cooldownSeconds * 1_000_000_000L,
                Take.Mode.ENFORCE,
                level.word());
    }

    private static Take shadow(Take take) {
        return new Take(take.bucket(), take.limit(), take.cost(), take.cooldownNanos(), Take.Mode.SHADOW, take.label());
    }

    private static Charge charge(Take... takes) {
        return new Charge(List.of(takes));
    }

    private int takenInARow(String principal, Charge charge, int calls) {
        int taken = 0;
        for (int i = 0; i < calls; i++) {
            taken += buckets.take(principal, charge).taken() ? 1 : 0;
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
        assertThat(buckets.take("client:b", charge).refusedBy())
                .isEqualTo(charge.takes().get(3));
    }

    @Test
    void aCallThatIsRefusedAtAnyLevelTakesNothingAtTheOthers() {
        Take tool = take(Level.TOOL, "t", 1, 2, 0);
        Take channel = take(Level.CHANNEL, "", 1, 10, 0);
        Take global = take(Level.GLOBAL, "", 1, 4, 0);
        assertThat(takenInARow("client:a", charge(tool, channel, global), 50)).isEqualTo(2);
        assertThat(buckets.take("client:a", charge(channel)).remaining())
                .as("fifty calls, of which two were admitted, and this one")
                .isEqualTo(7);
        assertThat(takenInARow("client:b", charge(global), 50)).isEqualTo(2);

        clock.advanceMillis(2_000);
        assertThat(takenInARow("client:c", charge(global), 50)).isEqualTo(2);
        Outcome refused = buckets.take("client:a", charge(tool, channel, global));
        assertThat(refused.refusedBy()).isEqualTo(global);
        assertThat(takenInARow("client:a", charge(tool), 50))
                .as("the tool's bucket was left alone")
                .isEqualTo(2);
    }

    @Test
    void theWaitIsThatOfTheLongestLevelAndTrue() {
        Take tool = take(Level.TOOL, "t", 10, 1, 0);
        Take channel = take(Level.CHANNEL, "", 0.5, 1, 0);
        Charge both = charge(tool, channel);
        assertThat(buckets.take("client:a", both).taken()).isTrue();

        Outcome refused = buckets.take("client:a", both);

        assertThat(refused.refusedBy()).isEqualTo(tool);
        assertThat(refused.waitNanos()).isEqualTo(2_000_000_000L);
        clock.advanceNanos(refused.waitNanos() - 1);
        assertThat(buckets.take("client:a", both).taken()).isFalse();
        clock.advanceNanos(1);
        assertThat(buckets.take("client:a", both).taken()).isTrue();
    }

    @Test
    void aBucketThatHasRefusedStaysShutForItsCoolDownAndIsChargedAllTheSame() {
        Charge heavy = charge(take(Level.TOOL, "t", 2, 5, 30));
        assertThat(takenInARow("client:a", heavy, 5)).isEqualTo(5);
        Outcome sixth = buckets.take("client:a", heavy);
        assertThat(sixth.reason()).isEqualTo(Outcome.Reason.EMPTY);
        assertThat(sixth.waitNanos()).isEqualTo(30_000_000_000L);

        clock.advanceMillis(1_000);
        assertThat(buckets.take("client:a", heavy).reason()).isEqualTo(Outcome.Reason.COOLING);
        assertThat(buckets.take("client:a", heavy).reason()).isEqualTo(Outcome.Reason.COOLING);
        Outcome third = buckets.take("client:a", heavy);
        assertThat(third.reason())
                .as("two tokens had come back, and were charged")
                .isEqualTo(Outcome.Reason.EMPTY);
        assertThat(third.waitNanos()).isEqualTo(29_000_000_000L);

        clock.advanceNanos(third.waitNanos() - 1);
        assertThat(buckets.take("client:a", heavy).taken()).isFalse();
        clock.advanceNanos(1);
        assertThat(buckets.take("client:a", heavy).taken()).isTrue();
    }

    @Test
    void aShadowedTakeRefusesNobodyAndIsTold() {
        Take tool = shadow(take(Level.TOOL, "t", 1, 1, 30));
        Take channel = take(Level.CHANNEL, "", 1, 3, 0);
        Charge charge = charge(tool, channel);

        assertThat(buckets.take("client:a", charge).wouldRefuse()).isNull();
        Outcome second = buckets.take("client:a", charge);
        assertThat(second.taken()).isTrue();
        assertThat(second.wouldRefuse()).isEqualTo(tool);
        assertThat(buckets.take("client:a", charge).taken()).isTrue();
        assertThat(buckets.take("client:a", charge).refusedBy())
                .as("shadow never turns a real refusal into an admission")
                .isEqualTo(channel);
    }

    @Test
    void aRateOfZeroRefusesForGoodAndNamesNoWait() {
        Outcome refused = buckets.take("client:a", charge(take(Level.TOOL, "t", 0, 0, 30)));

        assertThat(refused.reason()).isEqualTo(Outcome.Reason.BLOCKED);
        assertThat(refused.waitNanos()).isEqualTo(Outcome.NEVER);
    }

    @Test
    void aCostThatNoBucketCouldEverHoldIsRefusedWhenItIsWritten() {
        assertThatThrownBy(() ->
                        new Take(new BucketName(Level.TOOL, "/mcp", "t"), Limit.of(1, 5), 6, 0, Take.Mode.ENFORCE, "x"))
                .hasMessageContaining("a cost of 6 never fits into a burst of 5");
    }

    @Test
    void namesThatWouldReadAlikeWhenJoinedHaveBucketsOfTheirOwn() {
        Charge first =
                charge(new Take(new BucketName(Level.TOOL, "/a", "b/c"), Limit.of(1, 1), 1, 0, Take.Mode.ENFORCE, "x"));
        Charge second =
                charge(new Take(new BucketName(Level.TOOL, "/a/b", "c"), Limit.of(1, 1), 1, 0, Take.Mode.ENFORCE, "x"));

        assertThat(buckets.take("client:a", first).taken()).isTrue();
        assertThat(buckets.take("client:a", second).taken()).isTrue();
        assertThat(buckets.take("client:a:b", first).taken()).isTrue();
        assertThat(buckets.take("client:a", first).taken()).isFalse();
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
        for (int i = 0; i < 100_000; i++) {
            taken += buckets.take("address:" + i, charge).taken() ? 1 : 0;
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

        Outcome first = next.take("client:a", heavy);
        assertThat(first.taken()).isFalse();
        assertThat(first.waitNanos()).isEqualTo(30_000_000_000L);
        assertThat(next.take("client:b", heavy).taken()).isTrue();
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
                } else if (fresh.take("client:a", charge).taken()) {
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
        public List<BucketDebt> load() {
            return debts;
        }
    }
}
