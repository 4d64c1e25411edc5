package dev.weir.upstream;

import static dev.weir.upstream.Breaker.State.CLOSED;
import static dev.weir.upstream.Breaker.State.HALF_OPEN;
import static dev.weir.upstream.Breaker.State.OPEN;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a breaker opens and closes, on a clock that stands still unless a test moves it. */
class BreakerTest {

    private static final Duration OPEN_FOR = Duration.ofSeconds(30);

    private final AtomicLong nanos = new AtomicLong(-5_000_000_000L);
    private final AtomicLong wallMillis = new AtomicLong(1_000_000_000_000L);

    @Test
    void itOpensAtSoManyFailuresInARowAndNotBefore() {
        Breaker breaker = breaker(5, 100, 1_000, null);
        for (int n = 0; n < 4; n++) {
            fail(breaker);
        }
        succeed(breaker);
        for (int n = 0; n < 4; n++) {
            fail(breaker);
        }
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
        fail(breaker);
        assertThat(breaker.standing().state()).isEqualTo(OPEN);
        assertThat(breaker.admit(false)).isNull();
        assertThat(breaker.tally()).isEqualTo(new Breaker.Tally(1, 9, 0, 1));
    }

    @Test
    void withoutARuleForFailuresInARowThereMayBeAnyNumber() {
        Breaker breaker = breaker(0, 100, 1_000, null);
        for (int n = 0; n < 900; n++) {
            fail(breaker);
        }
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
    }

    @Test
    void itOpensAtTheShareOfFailuresOnceThereAreEnoughCalls() {
        Breaker breaker = breaker(0, 50, 20, null);
        for (int n = 0; n < 9; n++) {
            succeed(breaker);
            fail(breaker);
        }
        succeed(breaker);
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
        fail(breaker);
        assertThat(breaker.standing().state()).isEqualTo(OPEN);
    }

    @Test
    void itStaysClosedBelowTheShare() {
        Breaker breaker = breaker(0, 50, 20, null);
        for (int n = 0; n < 100; n++) {
            succeed(breaker);
            succeed(breaker);
            fail(breaker);
        }
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
    }

    @Test
    void callsOlderThanTheWindowDoNotCount() {
        Breaker breaker = breaker(0, 50, 20, null);
        for (int n = 0; n < 19; n++) {
            fail(breaker);
        }
        pass(Duration.ofSeconds(31));
        fail(breaker);
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
    }

    @Test
    void itOpensAtTheShareOfSlowCalls() {
        Breaker breaker = breaker(5, 100, 10, Duration.ofMillis(200));
        for (int n = 0; n < 5; n++) {
            succeedAfter(breaker, Duration.ofMillis(199));
            succeedAfter(breaker, Duration.ofMillis(201));
        }
        assertThat(breaker.standing().state()).isEqualTo(OPEN);
    }

    @Test
    void noCallIsSlowWithoutARuleForThat() {
        Breaker breaker = breaker(5, 100, 10, null);
        for (int n = 0; n < 20; n++) {
            succeedAfter(breaker, Duration.ofHours(1));
        }
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
    }

    @Test
    void howLongAnAnswerGoesOnAfterItsHeadDoesNotMakeItSlow() {
        Breaker breaker = breaker(5, 100, 1, Duration.ofMillis(200));
        BreakerCall call = admit(breaker);
        call.answering(200);
        pass(Duration.ofMinutes(1));
        call.answered();
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
    }

    @Test
    void whoeverWaitsAsLongAsToldIsLetThroughAndNobodyBefore() {
        Breaker breaker = opened();
        assertThat(breaker.standing().rest()).isBetween(OPEN_FOR, OPEN_FOR.plusMillis(1));
        pass(Duration.ofSeconds(29));
        assertThat(breaker.admit(false)).isNull();
        Duration rest = breaker.standing().rest();
        assertThat(rest).isBetween(Duration.ofMillis(1_000), Duration.ofMillis(1_001));
        pass(rest);
        assertThat(breaker.admit(false)).isNotNull();
        assertThat(breaker.standing().state()).isEqualTo(HALF_OPEN);
    }

    @Test
    void theWallClockMayStepWithoutAnyEffectButOnWhatIsTold() {
        Breaker breaker = opened();
        Instant since = breaker.standing().since();
        wallMillis.addAndGet(-Duration.ofHours(1).toMillis());
        pass(OPEN_FOR);
        assertThat(breaker.standing().since()).isEqualTo(since);
        assertThat(breaker.standing().until()).isBefore(since);
        pass(Duration.ofMillis(1));
        assertThat(breaker.admit(false)).isNotNull();
    }

    @Test
    void onlySoManyProbesAreUnderWayAndWhenAllAreWellItCloses() {
        Breaker breaker = rested();
        BreakerCall first = admit(breaker);
        BreakerCall second = admit(breaker);
        assertThat(breaker.admit(false)).isNull();
        assertThat(breaker.standing().rest()).isPositive();
        first.answering(200);
        first.answered();
        assertThat(breaker.admit(false)).isNull();
        assertThat(breaker.standing().state()).isEqualTo(HALF_OPEN);
        second.answering(404);
        second.answered();
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
        assertThat(breaker.admit(false)).isNotNull();
    }

    @Test
    void whereAShareIsTakenOfFewerCallsFewerProbesAreEnough() {
        Breaker breaker = breaker(5, 100, 1, null);
        fail(breaker);
        assertThat(breaker.standing().state()).isEqualTo(OPEN);
        pass(OPEN_FOR.plusMillis(1));
        succeed(breaker);
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
    }

    @Test
    void whenTheProbesFailItOpensForAsLongAgain() {
        Breaker breaker = rested();
        admit(breaker).failed("refused");
        admit(breaker).failed("refused");
        assertThat(breaker.standing().state()).isEqualTo(OPEN);
        pass(OPEN_FOR.minusMillis(1));
        assertThat(breaker.admit(false)).isNull();
        pass(Duration.ofMillis(2));
        assertThat(breaker.admit(false)).isNotNull();
    }

    @Test
    void aProbeThatIsLeftGivesItsPermitBackAndNoMore() {
        Breaker breaker = rested();
        for (int n = 0; n < 100; n++) {
            BreakerCall first = admit(breaker);
            BreakerCall second = admit(breaker);
            assertThat(breaker.admit(false)).isNull();
            first.left();
            second.answering(200);
            second.left();
        }
        assertThat(breaker.standing().state()).isEqualTo(HALF_OPEN);
        assertThat(breaker.tally().left()).isEqualTo(200);
    }

    @Test
    void aProbeThatTakesVeryLongMakesRoomForAnotherAndStillCounts() {
        Breaker breaker = rested();
        BreakerCall first = admit(breaker);
        BreakerCall second = admit(breaker);
        pass(OPEN_FOR.minusNanos(1));
        assertThat(breaker.admit(false)).isNull();
        pass(Duration.ofNanos(1));
        BreakerCall third = admit(breaker);
        BreakerCall fourth = admit(breaker);
        assertThat(breaker.admit(false)).isNull();
        first.left();
        assertThat(breaker.admit(false)).isNull();
        third.left();
        BreakerCall fifth = admit(breaker);
        assertThat(breaker.admit(false)).isNull();
        second.failed("timed out");
        fourth.failed("timed out");
        assertThat(breaker.standing().state()).isEqualTo(OPEN);
        fifth.left();
        pass(OPEN_FOR.plusMillis(1));
        admit(breaker);
        admit(breaker);
        assertThat(breaker.admit(false)).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 405, 409, 429, 302})
    void aStatusBelow500IsNoFailureWhateverItSaysOfTheRequest(int status) {
        Breaker breaker = breaker(1, 100, 1, null);
        BreakerCall call = admit(breaker);
        call.answering(status);
        call.answered();
        assertThat(breaker.tally()).isEqualTo(new Breaker.Tally(1, 0, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 502, 503, 504})
    void aStatusFrom500OnIsOneFailureHoweverTheAnswerEnds(int status) {
        Breaker breaker = breaker(0, 100, 1_000, null);
        BreakerCall whole = admit(breaker);
        whole.answering(status);
        whole.answered();
        BreakerCall cut = admit(breaker);
        cut.answering(status);
        cut.streaming();
        cut.failed("cut");
        BreakerCall left = admit(breaker);
        left.answering(status);
        left.left();
        assertThat(breaker.tally()).isEqualTo(new Breaker.Tally(0, 3, 0, 0));
    }

    @Test
    void callsThatBeganBeforeItOpenedAreNoProbes() {
        Breaker breaker = breaker(5, 100, 1_000, null);
        BreakerCall[] old = new BreakerCall[20];
        for (int n = 0; n < old.length; n++) {
            old[n] = admit(breaker);
        }
        for (int n = 0; n < 5; n++) {
            old[n].failed("refused");
        }
        for (int n = 5; n < 10; n++) {
            old[n].failed("refused");
        }
        pass(OPEN_FOR.plusMillis(1));
        BreakerCall first = admit(breaker);
        old[10].left();
        old[11].answering(200);
        old[11].answered();
        old[12].failed("refused");
        BreakerCall second = admit(breaker);
        assertThat(breaker.admit(false)).isNull();
        for (BreakerCall probe : new BreakerCall[] {first, second}) {
            probe.answering(200);
            probe.answered();
        }
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
        for (int n = 13; n < 20; n++) {
            old[n].failed("timed out after all");
        }
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
    }

    @Test
    void answersThatAreCutInARowOpenItAlthoughTheirHeadsWereGood() {
        Breaker breaker = breaker(5, 100, 1_000, null);
        for (int n = 0; n < 5; n++) {
            BreakerCall call = admit(breaker);
            call.answering(200);
            call.streaming();
            call.failed("cut");
        }
        assertThat(breaker.standing().state()).isEqualTo(OPEN);
    }

    @Test
    void aStreamThatIsMeantToStayOpenCountsWithItsHeadAndOnceMoreWhenItBreaks() {
        Breaker breaker = breaker(5, 100, 1_000, null);
        BreakerCall stream = requireNonNull(breaker.admit(true));
        stream.answering(200);
        stream.streaming();
        assertThat(breaker.tally()).isEqualTo(new Breaker.Tally(1, 0, 0, 0));
        stream.failed("broke off");
        assertThat(breaker.tally()).isEqualTo(new Breaker.Tally(1, 1, 0, 0));
        for (int n = 0; n < 4; n++) {
            fail(breaker);
        }
        assertThat(breaker.standing().state()).isEqualTo(OPEN);
    }

    @Test
    void aProbeThatIsStreamedGivesItsPermitBackWithItsHead() {
        Breaker breaker = rested();
        for (int n = 0; n < 2; n++) {
            BreakerCall probe = admit(breaker);
            probe.answering(200);
            probe.streaming();
        }
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
    }

    @Test
    void aProbeThatBreaksInTheMiddleOpensItAgain() {
        Breaker breaker = rested();
        BreakerCall probe = admit(breaker);
        probe.answering(200);
        probe.streaming();
        probe.failed("broke off");
        assertThat(breaker.standing().state()).isEqualTo(OPEN);
    }

    @Test
    void aStreamOfBeforeThatBreaksTakesNoProbesPlace() {
        Breaker breaker = breaker(5, 50, 1_000, null);
        BreakerCall stream = requireNonNull(breaker.admit(true));
        stream.answering(200);
        stream.streaming();
        for (int n = 0; n < 5; n++) {
            fail(breaker);
        }
        pass(OPEN_FOR.plusMillis(1));
        BreakerCall first = admit(breaker);
        stream.failed("broke off");
        assertThat(breaker.standing().state()).isEqualTo(HALF_OPEN);
        first.answering(200);
        first.answered();
        succeed(breaker);
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
    }

    /** O52, at the very moment. */
    @Test
    void of500CallsAtTheMomentOfTheFirstProbeOnlySoManyGetThrough() throws Exception {
        for (int round = 0; round < 20; round++) {
            Breaker breaker = rested();
            AtomicInteger through = new AtomicInteger();
            inParallel(50, () -> {
                for (int n = 0; n < 10; n++) {
                    if (breaker.admit(false) != null) {
                        through.incrementAndGet();
                    }
                }
            });
            assertThat(through).hasValue(2);
            assertThat(breaker.tally().rejected()).isEqualTo(498);
        }
    }

    @Test
    void racingResultsAreAllCountedAndOpenItOnce() throws Exception {
        Breaker breaker = breaker(1_000, 100, 10_000, null);
        inParallel(16, () -> {
            for (int n = 0; n < 62; n++) {
                fail(breaker);
            }
        });
        assertThat(breaker.standing().state()).isEqualTo(CLOSED);
        for (int n = 0; n < 8; n++) {
            fail(breaker);
        }
        assertThat(breaker.standing().state()).isEqualTo(OPEN);
        assertThat(breaker.tally().failed()).isEqualTo(1_000);
    }

    private static void inParallel(int threads, Runnable task) throws Exception {
        CyclicBarrier together = new CyclicBarrier(threads);
        CountDownLatch done = new CountDownLatch(threads);
        for (int n = 0; n < threads; n++) {
            new Thread(() -> {
                        try {
                            together.await();
                            task.run();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        } finally {
                            done.countDown();
                        }
                    })
                    .start();
        }
        done.await();
    }

    private Breaker opened() {
        Breaker breaker = breaker(5, 100, 1_000, null);
        for (int n = 0; n < 5; n++) {
            fail(breaker);
        }
        return breaker;
    }

    /** One that has been open for long enough. */
    private Breaker rested() {
        Breaker breaker = opened();
        pass(OPEN_FOR.plusMillis(1));
        return breaker;
    }

    private Breaker breaker(int failures, int failurePercent, int minCalls, @Nullable Duration slow) {
        BreakerSettings settings =
                new BreakerSettings(failures, failurePercent, minCalls, Duration.ofSeconds(30), slow, 50, OPEN_FOR, 2);
        return new Breaker(
                "/mcp", settings, nanos::get, () -> Instant.ofEpochMilli(wallMillis.get()), BreakerWatch.NONE);
    }

    private static BreakerCall admit(Breaker breaker) {
        return requireNonNull(breaker.admit(false));
    }

    private static void fail(Breaker breaker) {
        admit(breaker).failed("refused");
    }

    private void succeed(Breaker breaker) {
        succeedAfter(breaker, Duration.ZERO);
    }

    private void succeedAfter(Breaker breaker, Duration time) {
        BreakerCall call = admit(breaker);
        pass(time);
        call.answering(200);
        call.answered();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        wallMillis.addAndGet(time.toMillis());
    }
}
