package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventBoundaryTest {

    @Test
    void theStartOfAStreamIsOne() {
        assertThat(new EventBoundary().isHere()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "data: a#n#n, true",
        "data: a#r#n#r#n, true",
        "data: a#r#r, true",
        "data: a#n#r#n, true",
        "data: a#r#r#n, true",
        "data: a, false",
        "data: a#n, false",
        "data: a#r#n, false",
        "#n, true",
        "data: a#n#n:, false",
        "data: a#n#ndata: b#n#n, true"
    })
    void anEmptyLineIsOneHoweverTheBytesAreCut(String written, boolean boundary) {
        byte[] bytes = written.replace("#n", "\n").replace("#r", "\r").getBytes(StandardCharsets.UTF_8);
        EventBoundary atOnce = new EventBoundary();
        atOnce.passed(bytes, 0, bytes.length);
        EventBoundary byteByByte = new EventBoundary();
        for (int at = 0; at < bytes.length; at++) {
            byteByByte.passed(bytes, at, 1);
        }
        assertThat(atOnce.isHere()).isEqualTo(boundary);
        assertThat(byteByByte.isHere()).isEqualTo(boundary);
    }

    @ParameterizedTest
    @CsvSource({"data: a#n#ndata: b, 9", "data: a#r#n#r#ndata: b, 11", "data: a#ndata: b, 15", "a#n#nb#n#n, 3"})
    void bytesPassUpToTheFirstOfThemIfThereIsOne(String written, int passed) {
        byte[] bytes = written.replace("#n", "\n").replace("#r", "\r").getBytes(StandardCharsets.UTF_8);
        EventBoundary boundary = new EventBoundary();
        assertThat(boundary.passedUpToBoundary(bytes, 0, bytes.length)).isEqualTo(passed);
        assertThat(boundary.isHere()).isEqualTo(passed < bytes.length);
    }
}
