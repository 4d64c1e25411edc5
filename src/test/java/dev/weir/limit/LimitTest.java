package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Case O49: each number either works as written, as LocalBucketsTest shows too, or is refused when it is written. */
class LimitTest {

    @ParameterizedTest
    @CsvSource({
        "2, 5, 500000000",
        "30, 60, 33333333",
        "1000, 2000, 1000000",
        "0.0001, 1, 10000000000000",
        "1000000, 1, 1000",
        "1000, 1, 1000000",
        "1, 2147483648, 1000000000"
    })
    void aRateBecomesTheTimeThatOneTokenTakes(double rate, long burst, long interval) {
        Limit limit = Limit.of(rate, burst);

        assertThat(limit.intervalNanos()).isEqualTo(interval);
        assertThat(limit.capacity()).isEqualTo(burst);
        assertThat(limit.blocks()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 5, rate must be from 0",
        "NaN, 5, rate must be from 0",
        "Infinity, 5, rate must be from 0",
        "1000001, 5, rate must be from 0",
        "2, 0, burst must be at least 1",
        "2, -1, burst must not be negative",
        "0.0001, 2147483648, too long to fill",
        "1, 9223372036854775807, too long to fill"
    })
    void whatCannotWorkAsWrittenIsRefused(double rate, long burst, String reason) {
        assertThatThrownBy(() -> Limit.of(rate, burst))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void theLongestFillIsTakenAndOneTokenMoreIsNot() {
        // One token takes 2^30 nanoseconds, and 2^31 of them a quarter of what a signed clock can tell.
        double rate = 1e9 / (1L << 30);
        assertThat(Limit.of(rate, 1L << 31).fillNanos()).isEqualTo(1L << 61);
        assertThatThrownBy(() -> Limit.of(rate, (1L << 31) + 1)).hasMessageContaining("over 70 years");
    }

    @Test
    void limitsAreEqualByWhatIsWrittenOfThem() {
        Limit limit = Limit.of(2.5, 5);
        assertThat(limit).isEqualTo(Limit.of(2.5, 5)).hasSameHashCodeAs(Limit.of(2.5, 5));
        assertThat(limit).isNotEqualTo(Limit.of(2.5, 6)).doesNotHaveSameHashCodeAs(Limit.of(2.5, 6));
        assertThat(limit).isNotEqualTo(Limit.of(2, 5)).doesNotHaveSameHashCodeAs(Limit.of(2, 5));
        assertThat(limit.ratePerSecond()).isEqualTo(2.5);
        assertThat(limit).hasToString("2.5/s burst 5");
    }

    @Test
    void aRateOfZeroBlocksWhateverTheBurst() {
        assertThat(Limit.of(0, 0).blocks()).isTrue();
        assertThat(Limit.of(0, Long.MAX_VALUE).blocks()).isTrue();
        assertThat(Limit.of(0, 5).blocks()).isTrue();
    }
}
