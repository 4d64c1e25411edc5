package dev.weir.run.storm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.run.storm.Answer.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TallyTest {

    private static final long START = Long.MAX_VALUE - 5;

    private final List<String> told = new ArrayList<>();
    private final Tally tally = new Tally(START, told::add);

    @Test
    void tellsTheFirstAnswerOfEachKindWithItsTimeSinceTheStart() {
        answered(Kind.ADMITTED, "fine", 0, 12);
        answered(Kind.ADMITTED, "fine too", 10, 20);
        answered(Kind.THROTTLED, "slow down", 30, 41);
        answered(Kind.BANNED, "stop", 12_000, 12_345);
        answered(Kind.THROTTLED, "slow down again", 12_000, 12_400);

        assertThat(told)
                .containsExactly(
                        "  0.012 s  admitted: fine", "  0.041 s  throttled: slow down", " 12.345 s  banned: stop");
    }

    @Test
    void measuresAdmittedAndRefusedCallsApartAndFailedOnesNotAtAll() {
        answered(Kind.ADMITTED, "a", 0, 10);
        answered(Kind.THROTTLED, "t", 0, 20);
        answered(Kind.BANNED, "b", 0, 30);
        answered(Kind.FORBIDDEN, "f", 0, 40);
        answered(Kind.FAILED, "x", 0, 5000);

        Tally.Sums sums = tally.close();
        assertThat(sums.admitted().millis(100)).isEqualTo(10.0);
        assertThat(sums.refused().millis(50)).isEqualTo(30.0);
        assertThat(sums.refused().millis(100)).isEqualTo(40.0);
    }

    @Test
    void whatHasNoAnswerAtTheEndIsFailedAndALateAnswerChangesNothing() {
        tally.sent();
        tally.sent();
        answered(Kind.ADMITTED, "a", 0, 1);

        Tally.Sums sums = tally.close();
        answered(Kind.THROTTLED, "late", 0, 2);

        assertThat(sums.sent()).isEqualTo(3);
        assertThat(sums.unanswered()).isEqualTo(2);
        assertThat(sums.count(Kind.FAILED)).isEqualTo(2);
        assertThat(sums.count(Kind.THROTTLED)).isZero();
        assertThat(told).hasSize(1);
    }

    private void answered(Kind kind, String text, long sentMillis, long nowMillis) {
        tally.sent();
        tally.answered(
                new Answer(kind, text),
                START + TimeUnit.MILLISECONDS.toNanos(sentMillis),
                START + TimeUnit.MILLISECONDS.toNanos(nowMillis));
    }
}
