package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** One seal fits one list of texts, for one purpose and under one key. */
class SealsTest {

    private final Seals seals = new Seals();

    SealsTest() {
        seals.use(new byte[32]);
    }

    @Test
    void aSealFitsWhatItWasMadeForAndNothingElse() {
        String seal = seals.of("p", "ab", "c", null);
        assertThat(seal).matches("[A-Za-z0-9_-]{43}").hasSize(Seals.LENGTH);
        assertThat(seals.fits(seal, "p", "ab", "c", null)).isTrue();
        assertThat(seals.fits(seal, "q", "ab", "c", null)).isFalse();
        assertThat(seals.fits(seal, "p", "a", "bc", null)).isFalse();
        assertThat(seals.fits(seal, "p", "ab", "c", "")).isFalse();
        assertThat(seals.fits(seal, "p", "ab", "c")).isFalse();
        assertThat(seals.fits(seal, "p", "ab", "1:c")).isFalse();
        assertThat(seals.fits("", "p", "ab", "c", null)).isFalse();
    }

    @Test
    void anotherKeyMakesOtherSealsAndThisOneIsCopied() {
        byte[] key = new byte[32];
        key[31] = 1;
        Seals others = new Seals();
        others.use(key);
        key[31] = 0;
        assertThat(seals.fits(others.of("p", "a"), "p", "a")).isFalse();
    }

    @Test
    void withoutAKeyNothingIsSealedAndAShortOneIsNone() {
        Seals none = new Seals();
        assertThatThrownBy(() -> none.of("p", "a")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> none.fits("x", "p", "a")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> none.use(new byte[31])).isInstanceOf(IllegalArgumentException.class);
    }
}
