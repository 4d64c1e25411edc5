package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "heavy",
                "/mcp",
                "",
                ".",
                "..",
                "~",
                "~x",
                "a b",
                "ü",
                "a/b",
                "a%2Fb",
                "x.y_z-1",
                "\uD83D\uDE00",
                "a;b"
            })
    void everyNameComesBackAndNeedsNoEscapes(String name) {
        String segment = Segment.of(name);
        assertThat(segment).matches("[A-Za-z0-9._~-]+").isNotEqualTo(".").isNotEqualTo("..");
        assertThat(Segment.name(segment)).isEqualTo(name);
    }

    @Test
    void plainNamesStandAsTheyAreAndMayBeWrittenTheOtherWay() {
        assertThat(Segment.of("inspect_table_schema")).isEqualTo("inspect_table_schema");
        assertThat(Segment.of("/mcp")).isEqualTo("~L21jcA");
        assertThat(Segment.name("~aGVhdnk")).isEqualTo("heavy");
    }

    @Test
    void whatIsNoBase64IsNoName() {
        assertThatThrownBy(() -> Segment.name("~a b")).isInstanceOf(Problem.class);
    }
}
