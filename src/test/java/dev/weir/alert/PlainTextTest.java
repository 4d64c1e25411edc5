package dev.weir.alert;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlainTextTest {

    private static final String GRIN = new String(Character.toChars(0x1F600));

    @Test
    void whatBreaksLinesOrTurnsThemAroundBecomesABlank() {
        assertThat(PlainText.of("a\r\nb\u2028c\u202Ed\u0000e\u001B[2Jf\u200Bg", 100))
                .isEqualTo("a  b c d e [2Jf g");
    }

    @Test
    void halvesOfCharactersAreReplaced() {
        assertThat(PlainText.of("a" + GRIN.charAt(0) + "b" + GRIN.charAt(1), 100))
                .isEqualTo("a\uFFFDb\uFFFD");
        assertThat(PlainText.of(GRIN, 100)).isEqualTo(GRIN);
    }

    @Test
    void whatIsTooLongIsCutButNoCharacterInTwo() {
        assertThat(PlainText.of("12345", 5)).isEqualTo("12345");
        assertThat(PlainText.of("123456", 5)).isEqualTo("1234…");
        assertThat(PlainText.of("123" + GRIN + "56", 5)).isEqualTo("123…");
        assertThat(PlainText.of("x".repeat(1 << 20), 50)).hasSize(50);
    }
}
