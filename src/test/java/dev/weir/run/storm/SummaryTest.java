package dev.weir.run.storm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.run.storm.Answer.Kind;
import org.junit.jupiter.api.Test;

class SummaryTest {

    private final Tally tally = new Tally(0, line -> {});

    @Test
    void showsEveryKindTheLatenciesOfBothSidesAndTheWallTime() {
        answered(Kind.ADMITTED, 2_000_000);
        answered(Kind.ADMITTED, 12_340_000);
        answered(Kind.THROTTLED, 500_000);

        assertThat(Summary.of(tally.close(), 3, 5_010_000_000L)).isEqualTo("""

                        sent                3
                        admitted            2
                        throttled           1
                        banned              0
                        forbidden           0
                        failed              0

                        latency ms        p50      p99      max
                        admitted          2.0     12.3     12.3
                        refused           0.5      0.5      0.5

                        wall time 5.01 s
                        """);
    }

    @Test
    void ownsUpToCallsThatWereDueAndNotSent() {
        answered(Kind.ADMITTED, 1);

        assertThat(Summary.of(tally.close(), 10, 1)).contains("  (9 more were due, and not sent: ");
    }

    private void answered(Kind kind, long nanos) {
        tally.sent();
        tally.answered(new Answer(kind, "text"), 0, nanos);
    }
}
