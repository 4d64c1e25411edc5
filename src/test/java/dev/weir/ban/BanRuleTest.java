package dev.weir.ban;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a rule and a term may say, to the edge, and the words that rows and answers know. */
class BanRuleTest {

    private static final Duration TEN_YEARS = Duration.ofDays(3_650);
    private static final Duration DAY = Duration.ofDays(1);

    private static BanTerm widest() {
        return new BanTerm(TEN_YEARS, 1, TEN_YEARS, TEN_YEARS);
    }

    private static BanRule rule(int threshold, Duration window) {
        return new BanRule(threshold, window, widest(), BanRule.Scope.ALL, BanRule.Count.EVERY);
    }

    @Test
    void aRuleMayGoToItsBoundsAndNotBeyond() {
        assertThat(rule(BanRule.MAX_THRESHOLD, DAY).window()).isEqualTo(DAY);
        assertThatThrownBy(() -> rule(BanRule.MAX_THRESHOLD + 1, DAY))
                .hasMessage("threshold must be from 0 to 1000, not 1001");
        assertThatThrownBy(() -> rule(0, DAY.plusSeconds(1)))
                .hasMessage("window must be above 0 and at most a day, not 86401 s");
    }

    @Test
    void aTermMayGoToItsBoundsAndNotBeyond() {
        assertThat(widest().of(9)).isEqualTo(TEN_YEARS);
        Duration beyond = TEN_YEARS.plusSeconds(1);
        assertThatThrownBy(() -> new BanTerm(beyond, 1, beyond, DAY)).hasMessageContaining("duration must be above 0");
        assertThatThrownBy(() -> new BanTerm(DAY, 1, beyond, DAY)).hasMessageContaining("and at most 3650 days");
        assertThatThrownBy(() -> new BanTerm(DAY, 1, DAY, TEN_YEARS.plusDays(1)))
                .hasMessage("forget_days must be from 0 to 3650, not 3651");
    }

    @Test
    void scopesAndDecisionsAreWrittenInSmallWords() {
        assertThat(BanRule.Scope.TOOLS.word()).isEqualTo("tools");
        assertThat(BanRule.Scope.ALL.word()).isEqualTo("all");
        assertThat(ThrottleEvent.Decision.THROTTLED.word()).isEqualTo("throttled");
        assertThat(ThrottleEvent.Decision.WOULD_THROTTLE.word()).isEqualTo("would_throttle");
    }
}
