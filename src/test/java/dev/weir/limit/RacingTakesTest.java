package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Case O45: what becomes of a charge that all buckets would have given when they were looked at, and one refuses because
 * another thread came in between. Every reading of the clock brings a tenth of a token, so that the threads meet over each.
 */
class RacingTakesTest {

    private static final int THREADS = 4;
    private static final int CALLS = 20_000;
    private static final Limit SCARCE = Limit.of(Limit.MAX_RATE, 1);
    private static final Limit PLENTY = Limit.of(0.001, 1_000_000);

    private final AtomicLong ticks = new AtomicLong();
    private final LocalBuckets buckets = new LocalBuckets(1_000, () -> ticks.addAndGet(100));

    private static Take take(Level level, Limit limit, int maxConcurrent) {
        BucketName name = new BucketName(level, level == Level.GLOBAL ? "" : "/mcp", "");
        return new Take(name, new Tier(level.word(), limit, 0, maxConcurrent, 0, Tier.Mode.ENFORCE), 1);
    }

    private boolean taken(String principal, Charge charge) {
        if (buckets.take(principal, charge) instanceof Outcome.Taken taken) {
            if (taken.reservation() != null) {
                taken.reservation().release();
            }
            return true;
        }
        return false;
    }

    private static long tokensGone(Outcome outcome) {
        Outcome.Taken taken = (Outcome.Taken) outcome;
        Take tightest = Objects.requireNonNull(taken.tightest());
        return PLENTY.capacity() - tightest.tier().limit().tokensLeft(taken.owedNanos());
    }

    @Test
    void whatANarrowBucketGaveIsGivenBackWhenAWiderOneRefusesAfterAll() throws Exception {
        Take slots = take(Level.TOOL, PLENTY, THREADS);
        Charge charge = new Charge(List.of(slots, take(Level.GLOBAL, SCARCE, 0)));
        AtomicLong granted = new AtomicLong();
        TokenBucketTest.together(THREADS, thread -> {
            for (int call = 0; call < CALLS; call++) {
                granted.addAndGet(taken("client:a", charge) ? 1 : 0);
            }
        });
        assertThat(granted.get()).isPositive();
        for (int slot = 1; slot <= THREADS; slot++) {
            Outcome outcome = buckets.take("client:a", new Charge(List.of(slots)));
            assertThat(tokensGone(outcome))
                    .as("what was granted, and slot %s", slot)
                    .isEqualTo(granted.get() + slot);
        }
        assertThat(buckets.take("client:a", new Charge(List.of(slots)))).isInstanceOf(Outcome.Refused.class);
    }

    @Test
    void ofThreadsThatAllSawTheLastSlotOneGetsInAndTheOthersPayNothing() throws Exception {
        Take slot = take(Level.TOOL, PLENTY, 1);
        AtomicLong granted = new AtomicLong();
        AtomicLong inFlight = new AtomicLong();
        AtomicLong most = new AtomicLong();
        TokenBucketTest.together(THREADS, thread -> {
            for (int call = 0; call < CALLS; call++) {
                if (buckets.take("client:a", new Charge(List.of(slot))) instanceof Outcome.Taken taken) {
                    granted.incrementAndGet();
                    most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                    inFlight.decrementAndGet();
                    Objects.requireNonNull(taken.reservation()).release();
                }
            }
        });
        assertThat(most).hasValue(1);
        assertThat(tokensGone(buckets.take("client:a", new Charge(List.of(slot)))))
                .isEqualTo(granted.get() + 1);
    }

    @Test
    void aSlotIsGivenBackWhenItsOwnBucketHasNoTokenAfterAll() throws Exception {
        Take slots = take(Level.TOOL, SCARCE, THREADS - 1);
        TokenBucketTest.together(THREADS, thread -> {
            for (int call = 0; call < CALLS; call++) {
                taken("client:a", new Charge(List.of(slots)));
            }
        });
        for (int slot = 1; slot < THREADS; slot++) {
            ticks.addAndGet(1_000_000);
            assertThat(buckets.take("client:a", new Charge(List.of(slots)))).isInstanceOf(Outcome.Taken.class);
        }
        ticks.addAndGet(1_000_000);
        assertThat(buckets.take("client:a", new Charge(List.of(slots)))).isInstanceOf(Outcome.Refused.class);
    }
}
