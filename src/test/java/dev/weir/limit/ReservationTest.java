package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Slots among the calls in flight, and tokens that are waited for. */
class ReservationTest {

    private static final long SECOND = 1_000_000_000L;
    private static final Take GLOBAL =
            new Take(new BucketName(Level.GLOBAL, "", ""), Tier.of("global", Limit.of(1, 1_000)), 1);

    private final ManualClock clock = new ManualClock(Long.MAX_VALUE - SECOND);
    private final LocalBuckets buckets = new LocalBuckets(1_000, clock);

    private static Charge charge(double rate, long burst, int maxConcurrent, long maxWaitNanos, Tier.Mode mode) {
        Tier tier = new Tier("t", Limit.of(rate, burst), 0, maxConcurrent, maxWaitNanos, mode);
        return new Charge(List.of(GLOBAL, new Take(new BucketName(Level.TOOL, "/mcp", "t"), tier, 1)));
    }

    private @Nullable Reservation admitted(Charge charge) {
        assertThat(buckets.take("client:a", charge)).isInstanceOf(Outcome.Taken.class);
        return null;
    }

    private Reservation reserved(Charge charge) {
        Outcome outcome = buckets.take("client:a", charge);
        assertThat(outcome).isInstanceOf(Outcome.Taken.class);
        return Objects.requireNonNull(((Outcome.Taken) outcome).reservation());
    }

    private Outcome.Refused refused(Charge charge) {
        Outcome outcome = buckets.take("client:a", charge);
        assertThat(outcome).isInstanceOf(Outcome.Refused.class);
        return (Outcome.Refused) outcome;
    }

    /** How many tokens the global bucket has given and not got back. */
    private long globalTaken() {
        Outcome.Taken look = (Outcome.Taken) buckets.take("client:other", new Charge(List.of(GLOBAL)));
        return 999 - GLOBAL.tier().limit().tokensLeft(look.owedNanos());
    }

    @Test
    void aSlotIsGivenBackOnceAndASecondTimeDoesNothing() {
        Charge two = charge(1_000, 1_000, 2, 0, Tier.Mode.ENFORCE);
        Reservation first = reserved(two);
        Reservation second = reserved(two);
        assertThat(first.waitNanos()).isZero();
        Outcome.Refused third = refused(two);
        assertThat(third.reason()).isEqualTo(Outcome.Reason.BUSY);
        first.release();
        first.release();
        first.cancel();
        Reservation next = reserved(two);
        assertThat(refused(two).reason()).isEqualTo(Outcome.Reason.BUSY);
        second.release();
        next.release();
        reserved(two);
    }

    @Test
    void slotsBelongToOneClientOnOneTool() {
        Charge one = charge(1_000, 1_000, 1, 0, Tier.Mode.ENFORCE);
        reserved(one);
        assertThat(buckets.take("client:b", one)).isInstanceOf(Outcome.Taken.class);
        refused(one);
    }

    @Test
    void whoeverIsRefusedForWantOfASlotHasPaidNothing() {
        Charge one = charge(0.001, 3, 1, 0, Tier.Mode.ENFORCE);
        Reservation first = reserved(one);
        for (int i = 0; i < 10; i++) {
            refused(one);
        }
        first.release();
        reserved(one).release();
        reserved(one).release();
        assertThat(refused(one).reason()).as("three tokens, three calls").isEqualTo(Outcome.Reason.EMPTY);
        assertThat(globalTaken()).isEqualTo(3);
    }

    @Test
    void aSlotKeepsItsBucketThroughASweep() {
        Charge one = charge(1_000, 1_000, 1, 0, Tier.Mode.ENFORCE);
        Reservation first = reserved(one);
        clock.advanceMillis(60_000);
        buckets.sweep();
        assertThat(refused(one).reason()).isEqualTo(Outcome.Reason.BUSY);
        first.release();
        buckets.sweep();
        assertThat(buckets.principals()).isZero();
        reserved(one);
    }

    @Test
    void aCallWaitsForItsTokenInTheOrderOfArrivalAndNoLongerThanItMay() {
        Charge patient = charge(2, 1, 0, SECOND, Tier.Mode.ENFORCE);
        admitted(patient);
        assertThat(reserved(patient).waitNanos()).isEqualTo(SECOND / 2);
        assertThat(reserved(patient).waitNanos()).isEqualTo(SECOND);
        Outcome.Refused late = refused(patient);
        assertThat(late.reason()).isEqualTo(Outcome.Reason.EMPTY);
        assertThat(late.waitNanos()).isEqualTo(SECOND * 3 / 2);
        clock.advanceMillis(1_500);
        admitted(patient);
    }

    @Test
    void aCallThatNeverBeginsGivesEverythingBackAtAllLevels() {
        Charge patient = charge(1, 1, 2, 10 * SECOND, Tier.Mode.ENFORCE);
        reserved(patient);
        Reservation waiting = reserved(patient);
        assertThat(waiting.waitNanos()).isEqualTo(SECOND);
        assertThat(globalTaken()).isEqualTo(2);
        waiting.cancel();
        waiting.cancel();
        waiting.release();
        assertThat(globalTaken()).as("and the two looks").isEqualTo(1 + 1);
        assertThat(reserved(patient).waitNanos()).as("the place is free again").isEqualTo(SECOND);
    }

    @Test
    void aCallThatNeitherWaitsNorHoldsASlotHasNothingToGiveBack() {
        Outcome.Taken taken =
                (Outcome.Taken) buckets.take("client:a", charge(1_000, 1_000, 0, SECOND, Tier.Mode.ENFORCE));
        assertThat(taken.reservation()).isNull();
    }

    @Test
    void aCallThatOnlyWaitedFreesNoSlotOfOthers() {
        Charge patient = charge(2, 1, 0, 10 * SECOND, Tier.Mode.ENFORCE);
        admitted(patient);
        reserved(patient).release();
        clock.advanceMillis(1_000);
        // The policy has changed: now calls in flight are counted.
        Charge one = charge(2, 2, 1, 10 * SECOND, Tier.Mode.ENFORCE);
        reserved(one);
        assertThat(refused(one).reason()).isEqualTo(Outcome.Reason.BUSY);
    }

    @Test
    void inShadowSlotsAreCountedAndNobodyIsHeldBack() {
        Charge one = charge(1_000, 1_000, 1, SECOND, Tier.Mode.SHADOW);
        Reservation first = reserved(one);
        Outcome.Taken second = (Outcome.Taken) buckets.take("client:a", one);
        assertThat(second.wouldRefuse()).isNotNull();
        first.release();
        Objects.requireNonNull(second.reservation()).release();
        Outcome.Taken third = (Outcome.Taken) buckets.take("client:a", one);
        assertThat(third.wouldRefuse()).isNull();
    }

    @Test
    void ofATierThatIsOffNothingIsTaken() {
        Charge off = charge(0, 0, 1, 0, Tier.Mode.OFF);
        assertThat(off.takes()).containsExactly(GLOBAL);
        for (int i = 0; i < 50; i++) {
            admitted(off);
        }
    }

    /** Case O45: never one call too many in flight, whatever the threads do; and all slots come back. */
    @Tag(Effort.STORM)
    @RepeatedTest(20)
    void manyThreadsNeverHaveMoreInFlightThanMayBe() throws Exception {
        Charge three = charge(1_000_000, 1_000_000, 3, 0, Tier.Mode.ENFORCE);
        AtomicInteger inFlight = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        TokenBucketTest.together(16, thread -> {
            for (int i = 0; i < 200; i++) {
                if (buckets.take("client:a", three) instanceof Outcome.Taken taken) {
                    most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                    Thread.onSpinWait();
                    inFlight.decrementAndGet();
                    Reservation reservation = Objects.requireNonNull(taken.reservation());
                    if (i % 3 == 0) {
                        reservation.cancel();
                    }
                    reservation.release();
                }
                if (i % 50 == 0) {
                    buckets.sweep();
                }
            }
        });
        assertThat(most.get()).isBetween(1, 3);
        clock.advanceMillis(2_000_000);
        List<Reservation> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(reserved(three));
        }
        assertThat(refused(three).reason()).isEqualTo(Outcome.Reason.BUSY);
        assertThat(all).hasSize(3);
    }
}
