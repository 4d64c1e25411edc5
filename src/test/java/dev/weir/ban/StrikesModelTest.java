package dev.weir.ban;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Effort;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random traffic of one principal against a slow and simple model, on clocks that wrap around and step. O43: the window is
 * not touched by steps of the wall clock.
 */
class StrikesModelTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    /** Counts on a clock that begins at zero, in lists that are never cut. */
    private static final class Model {

        private final List<Long> strikes = new ArrayList<>();
        private final List<Integer> begins = new ArrayList<>(List.of(0));
        private final BanRule rule;
        private @Nullable Long answered;
        private @Nullable Instant bannedUntil;

        Model(BanRule rule) {
            this.rule = rule;
        }

        boolean isBanned(Instant now) {
            return bannedUntil != null && now.isBefore(bannedUntil);
        }

        /** Zero for a throttle that is of no account, minus one for one that led to a ban. */
        int throttle(long arrived, long time, Instant now) {
            if (isBanned(now)) {
                return 0;
            }
            boolean isNew = isNew(arrived);
            if (isNew) {
                strikes.add(time);
                answered = null;
            }
            long inside = counted().stream()
                    .filter(strike -> time - strike < rule.window().toNanos())
                    .count();
            if (isNew && inside > rule.threshold()) {
                bannedUntil = now.plus(rule.term().first());
                begins.add(strikes.size());
                return -1;
            }
            return (int) inside;
        }

        void answered(long time) {
            if (answered == null) {
                answered = time;
            }
        }

        /** Answers are held back for a moment, not for long. */
        boolean mayBeAnsweredAt(long time) {
            return !counted().isEmpty() && time - strikes.get(strikes.size() - 1) < SECOND;
        }

        private boolean isNew(long arrived) {
            if (rule.count() == BanRule.Count.EVERY || counted().isEmpty()) {
                return true;
            }
            long latest = strikes.get(strikes.size() - 1);
            return answered != null ? arrived > answered : arrived - latest >= SECOND;
        }

        private List<Long> counted() {
            return strikes.subList(begins.get(begins.size() - 1), strikes.size());
        }
    }

    private long time;
    private Instant now = Instant.parse("2026-11-30T06:30:00Z");

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE, Long.MAX_VALUE - 5 * SECOND, Long.MIN_VALUE, -1})
    void strikesAndBansAreThoseOfTheModel(long origin) {
        int bans = 0;
        int joined = 0;
        for (int seed = 0; seed < Effort.of(200); seed++) {
            Random random = new Random(seed);
            BanRule rule = new BanRule(
                    random.nextInt(7),
                    Duration.ofSeconds(2 + random.nextInt(9)),
                    new BanTerm(Duration.ofSeconds(1 + random.nextInt(3)), 1, Duration.ofDays(1), Duration.ZERO),
                    BanRule.Scope.TOOLS,
                    random.nextInt(4) == 0 ? BanRule.Count.EVERY : BanRule.Count.INFORMED);
            time = 0;
            BanBook book = new BanBook(
                    new MemoryHistory(), BanWatch.NONE, () -> now, () -> origin + time, () -> "ban-" + time);
            Model model = new Model(rule);
            Runnable answered = () -> {};
            for (int step = 0; step < 300; step++) {
                pass(random);
                if (random.nextInt(50) == 0) {
                    now = now.plusSeconds(random.nextBoolean() ? 3_600 : -3_600);
                }
                if (random.nextInt(20) == 0) {
                    book.sweep(rule);
                }
                // Brings back what was swept away while the clock was wrong.
                book.refresh();
                if (random.nextInt(3) == 0) {
                    if (model.mayBeAnsweredAt(time)) {
                        answered.run();
                        model.answered(time);
                    }
                    continue;
                }
                long arrived = time - random.nextInt((int) (20 * MILLI));
                int expected = model.throttle(arrived, time, now);
                BanBook.Strike strike =
                        book.strike("client:a", new Call("/mcp", "t", "tool", origin + arrived, () -> null), rule);
                assertThat(strike.ban() != null && strike.strikes() > 0 ? -1 : strike.strikes())
                        .as("seed %d, step %d, %s", seed, step, rule)
                        .isEqualTo(expected);
                assertThat(book.find("client:a") != null).isEqualTo(model.isBanned(now));
                bans += expected < 0 ? 1 : 0;
                joined += expected > 0 && expected == model.counted().size() && strike.holdNanos() > 0 ? 1 : 0;
                answered = expected > 0 ? strike.answered() : answered;
            }
        }
        assertThat(bans).as("the traffic is of a kind that matters").isGreaterThan(Effort.of(500));
        assertThat(joined).isGreaterThan(Effort.of(500));
    }

    private void pass(Random random) {
        long step = switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> random.nextInt(1_000);
            case 2, 3 -> random.nextLong(100 * MILLI);
            case 4 -> random.nextLong(SECOND);
            // Whole seconds, so that the edges of windows are met exactly.
            default -> SECOND * random.nextInt(4);
        };
        time += step;
        now = now.plusNanos(step);
    }
}
