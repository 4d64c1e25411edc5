package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What can be written of a tier, and of a take under it. */
class TakeTest {

    private static final Limit LIMIT = Limit.of(2, 5);
    private static final Tier COOLING = new Tier("heavy", LIMIT, 1, 0, 0, Tier.Mode.ENFORCE);
    private static final Tier NARROW = new Tier("heavy", LIMIT, 0, 1, 0, Tier.Mode.ENFORCE);

    private static BucketName at(Level level) {
        return new BucketName(level, "/mcp", "t");
    }

    @ParameterizedTest
    @EnumSource(names = {"TOOL", "METHOD"})
    void ofOneToolOrMethodATierMayCoolDownAndCountCallsInFlight(Level level) {
        assertThat(new Take(at(level), COOLING, 1).tier()).isEqualTo(COOLING);
        assertThat(new Take(at(level), NARROW, 1).tier()).isEqualTo(NARROW);
    }

    @ParameterizedTest
    @EnumSource(
            names = {"TOOL", "METHOD"},
            mode = EnumSource.Mode.EXCLUDE)
    void onAWideLevelATierThatCoolsDownOrCountsCallsInFlightIsRefusedByName(Level level) {
        for (Tier tier : List.of(COOLING, NARROW)) {
            assertThatThrownBy(() -> new Take(at(level), tier, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a " + level.word()
                            + " has no cool-down and counts no calls in flight, as the tier [heavy]" + " would");
        }
        assertThat(new Take(at(level), Tier.of("wide", LIMIT), 5).cost()).isEqualTo(5);
    }

    @Test
    void aCostThatCouldNotBePaidIsRefused() {
        assertThatThrownBy(() -> new Take(at(Level.TOOL), NARROW, 0)).hasMessage("cost must be at least 1, not 0");
        assertThatThrownBy(() -> new Take(at(Level.TOOL), NARROW, 6))
                .hasMessage("a cost of 6 never fits into a burst of 5");
        assertThat(new Take(at(Level.TOOL), Tier.of("shut", Limit.of(0, 0)), 6).cost())
                .as("a limit that gives nothing refuses all costs alike")
                .isEqualTo(6);
    }

    @Test
    void aTierThatCannotWorkIsRefused() {
        assertThatThrownBy(() -> new Tier("t", LIMIT, -1, 0, 0, Tier.Mode.ENFORCE))
                .hasMessage("cool-down must not be negative, but is -1 ns");
        assertThatThrownBy(() -> new Tier("t", LIMIT, 0, -1, 0, Tier.Mode.ENFORCE))
                .hasMessage("max_concurrent must not be negative, but is -1");
        for (long wait : new long[] {-1, Tier.LONGEST_WAIT_NANOS + 1}) {
            assertThatThrownBy(() -> new Tier("t", LIMIT, 0, 0, wait, Tier.Mode.ENFORCE))
                    .hasMessage("a wait for tokens must be from 0 to 60000000000 ns, not " + wait);
        }
        assertThat(new Tier("t", LIMIT, 0, 0, Tier.LONGEST_WAIT_NANOS, Tier.Mode.ENFORCE).maxWaitNanos())
                .as("a minute")
                .isEqualTo(60_000_000_000L);
    }
}
