package dev.weir.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class McpHeadersTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "Application/JSON",
                "application/json; charset=utf-8",
                "application/json;charset=\"UTF-8\"",
                "application/json ; odd=1"
            })
    void jsonInUtf8IsRead(String contentType) {
        assertThat(McpHeaders.refusal(List.of(contentType), List.of())).isNull();
        assertThat(McpHeaders.refusal(List.of(contentType), List.of("identity")))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "text/plain; a=application/json",
                "application/jsonp",
                "application/json; charset=utf-16",
                "application/json; charset=utf-7",
                "application/json; charset=iso-8859-1",
                "application/json; charset=utf-8; charset=utf-16",
                "application/json; charset = utf-16",
                "application/json, text/plain",
                ""
            })
    void anyOtherLabelIsUnsupported(String contentType) {
        assertThat(McpHeaders.refusal(List.of(contentType), List.of()))
                .isNotNull()
                .extracting(Reading.Unreadable::status)
                .isEqualTo(415);
    }

    @Test
    void theLabelStandsExactlyOnceAndThereIsNoCoding() {
        assertThat(McpHeaders.refusal(List.of(), List.of())).isNotNull();
        assertThat(McpHeaders.refusal(List.of("application/json", "application/json"), List.of()))
                .isNotNull();
        assertThat(McpHeaders.refusal(List.of("application/json"), List.of("gzip")))
                .isNotNull();
        assertThat(McpHeaders.refusal(List.of("application/json"), List.of("identity", "br")))
                .isNotNull();
    }
}
