package dev.weir.ban;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class OffendersTest {

    /** Whoever has got hold of strikes that are swept away meanwhile must not count on them. */
    @Test
    void strikesThatWereSweptAwayAreOfNoAccountAndTheirPrincipalBeginsAnew() {
        Offenders offenders = new Offenders(10);
        Strikes before = Objects.requireNonNull(offenders.of("client:a"));
        assertThat(before.isRetired()).isFalse();
        offenders.sweep(() -> 0, 1);
        assertThat(before.isRetired()).isTrue();
        assertThat(offenders.of("client:a")).isNotNull().isNotSameAs(before);
    }
}
