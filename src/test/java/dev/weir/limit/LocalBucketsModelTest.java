package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All levels together against a slow model that keeps, for each bucket, its credit in nanoseconds and its cool-down. */
class LocalBucketsModelTest {

    private static final long SECOND = 1_000_000_000L;
    private static final Tier HEAVY = new Tier("heavy", Limit.of(2, 5), 3 * SECOND, 0, 0, Tier.Mode.ENFORCE);
    private static final Tier TRIED = new Tier("tried", Limit.of(1, 2), 2 * SECOND, 0, 0, Tier.Mode.SHADOW);
    private static final Tier CHANNEL = Tier.of("channel", Limit.of(6, 8));
    private static final Tier ROUTE = Tier.of("route", Limit.of(9, 12));
    private static final Tier GLOBAL = Tier.of("global", Limit.of(11, 15));

    /** One bucket of the model. */
    private static final class Slow {
        private long credit;
        private long shutUntil = Long.MIN_VALUE / 2;

        private Slow(Limit limit) {
            this.credit = limit.fillNanos();
        }

        private long wait(Take take) {
            return Math.max(0, take.cost() * take.tier().limit().intervalNanos() - credit);
        }

        private void take(Take take) {
            credit -= take.cost() * take.tier().limit().intervalNanos();
        }
    }

    private final Map<String, Slow> model = new HashMap<>();
    private long elapsed;

    private Slow slow(String principal, Take take) {
        String owner = take.bucket().level().personal() ? principal : "";
        return model.computeIfAbsent(
                owner + " " + take.bucket(), name -> new Slow(take.tier().limit()));
    }

    /** Who refuses, after the model has done what is to be done; null if nobody does. */
    private @Nullable Take expected(String principal, Charge charge) {
        List<Take> taken = new ArrayList<>();
        for (Take take : charge.takes()) {
            Slow slow = slow(principal, take);
            boolean cooling = slow.shutUntil > elapsed;
            boolean dry = slow.wait(take) > 0;
            if (!cooling && !dry) {
                taken.add(take);
                continue;
            }
            if (cooling && !dry) {
                slow.take(take);
            } else if (!cooling && take.tier().cooldownNanos() > 0) {
                slow.shutUntil = elapsed + take.tier().cooldownNanos();
            }
            if (!take.isShadow()) {
                return take;
            }
        }
        taken.forEach(take -> slow(principal, take).take(take));
        return null;
    }

    private void pass(long nanos) {
        elapsed += nanos;
        model.forEach((name, slow) -> {
            Limit limit = name.contains("heavy") ? HEAVY.limit() : name.contains("tried") ? TRIED.limit() : wide(name);
            slow.credit = Math.min(limit.fillNanos(), slow.credit + nanos);
        });
    }

    private static Limit wide(String name) {
        return name.contains("channel") ? CHANNEL.limit() : name.contains("route") ? ROUTE.limit() : GLOBAL.limit();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void agreesWithTheModelAtEveryStep(long seed) {
        Random random = new Random(seed);
        ManualClock clock = new ManualClock(Long.MAX_VALUE - random.nextInt(2_000_000_000));
        LocalBuckets buckets = new LocalBuckets(1_000, clock);
        int refused = 0;
        int steps = Effort.of(20_000);
        for (int step = 0; step < steps; step++) {
            long pause = random.nextInt(3) == 0 ? random.nextInt(300_000_000) : 0;
            clock.advanceNanos(pause);
            pass(pause);
            if (random.nextInt(200) == 0) {
                buckets.sweep();
            }
            String principal = "client:" + random.nextInt(3);
            Charge charge = charge(random);
            Take by = expected(principal, charge);
            Outcome outcome = buckets.take(principal, charge);
            if (by == null) {
                assertThat(outcome).as("step %s", step).isInstanceOf(Outcome.Taken.class);
            } else {
                refused++;
                assertThat(outcome)
                        .as("step %s", step)
                        .isInstanceOfSatisfying(
                                Outcome.Refused.class,
                                told -> assertThat(told.by()).isEqualTo(by));
            }
        }
        assertThat(refused).as("the test sees both sides").isBetween(steps / 10, steps / 10 * 9);
    }

    private static Charge charge(Random random) {
        List<Take> takes = new ArrayList<>(List.of(
                new Take(new BucketName(Level.CHANNEL, "/mcp", ""), CHANNEL, 1),
                new Take(new BucketName(Level.ROUTE, "/mcp", ""), ROUTE, 1),
                new Take(new BucketName(Level.GLOBAL, "", ""), GLOBAL, 1)));
        switch (random.nextInt(4)) {
            case 0 -> takes.add(new Take(new BucketName(Level.TOOL, "/mcp", "tried"), TRIED, 1));
            case 1 -> takes.add(new Take(new BucketName(Level.TOOL, "/mcp", "heavy dear"), HEAVY, 3));
            case 2 -> takes.add(new Take(new BucketName(Level.METHOD, "/mcp", "heavy"), HEAVY, 1));
            default -> {}
        }
        return new Charge(takes);
    }
}
