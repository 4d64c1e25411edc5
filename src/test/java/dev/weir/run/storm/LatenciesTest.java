package dev.weir.run.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LatenciesTest {

    private final Latencies latencies = new Latencies();

    @Test
    void percentilesAreMeasuredValuesByNearestRankWhateverTheOrder() {
        for (int millis = 1000; millis >= 1; millis--) {
            latencies.add(TimeUnit.MILLISECONDS.toNanos(millis));
        }
        assertThat(latencies.millis(1)).isEqualTo(10.0);
        assertThat(latencies.millis(50)).isEqualTo(500.0);
        assertThat(latencies.millis(99)).isEqualTo(990.0);
        assertThat(latencies.millis(100)).isEqualTo(1000.0);
    }

    @Test
    void oneMeasurementIsEveryPercentileToTheMicrosecond() {
        latencies.add(1_234_567);

        assertThat(latencies.millis(1)).isEqualTo(1.234);
        assertThat(latencies.millis(100)).isEqualTo(1.234);
    }

    @Test
    void noMeasurementHasNoPercentile() {
        assertThat(latencies.isEmpty()).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> latencies.millis(50));
    }
}
