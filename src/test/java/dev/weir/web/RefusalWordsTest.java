package dev.weir.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gate.Form;
import dev.weir.gate.Quota;
import dev.weir.gate.Verdict;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Case O44: the wait in the words is the true one or a little more, never less. */
class RefusalWordsTest {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final Pattern PART = Pattern.compile("([0-9.]+)([hms])");

    @ParameterizedTest
    @CsvSource({
        "1, 0.1s",
        "1000000, 0.1s",
        "999000000, 1s",
        "1000000000, 1s",
        "1000000001, 1.1s",
        "30000000000, 30s",
        "59900000001, 1m 0s",
        "60000000000, 1m 0s",
        "899000000001, 15m 0s",
        "3600000000000, 1h 0m",
        "3600000000001, 1h 1m",
        "86400000000000, 24h 0m"
    })
    void aWaitReadsAsAPersonWouldWriteIt(long nanos, String words) {
        assertThat(RefusalWords.roundedUp(nanos)).isEqualTo(words);
    }

    @Test
    void noWaitIsToldShorterThanItIs() {
        Random random = new Random(44);
        for (int i = 0; i < 100_000; i++) {
            long nanos = 1 + (random.nextLong() >>> (14 + random.nextInt(40)));
            assertThat(seconds(RefusalWords.roundedUp(nanos)))
                    .as("%s ns", nanos)
                    .isGreaterThanOrEqualTo(nanos / NANOS_PER_SECOND);
        }
    }

    @ParameterizedTest
    @CsvSource({"unproven, Too many credentials from your address wait", "heavy, [t] is running for you already"})
    void tooMuchAtATimeIsSaidOfWhatIsTooMuch(String policy, String words) {
        Quota quota = new Quota(policy, 2, 5, 0, 0, 100);
        Verdict.Throttle throttle =
                new Verdict.Throttle(Form.HTTP_STATUS, "/mcp", "t", "concurrency", false, 0, quota, 0, 0, 0, () -> {});
        assertThat(RefusalWords.of(throttle)).startsWith(words);
    }

    private static double seconds(String words) {
        double seconds = 0;
        Matcher part = PART.matcher(words);
        while (part.find()) {
            double number = Double.parseDouble(part.group(1));
            seconds += number
                    * switch (part.group(2)) {
                        case "h" -> 3_600;
                        case "m" -> 60;
                        default -> 1;
                    };
        }
        return seconds;
    }
}
