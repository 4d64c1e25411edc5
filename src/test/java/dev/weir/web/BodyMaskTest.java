package dev.weir.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BodyMaskTest {

    private static String masked(String body, String... credentials) {
        return BodyMask.of(body, List.of(credentials));
    }

    @Test
    void whatIsNoSecretStaysAsItWasWritten() {
        String body = "{ \"jsonrpc\":\"2.0\", \"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\\u0041\\n\","
                + "\"arguments\":{\"table\":\"CUSTOMER\",\"rows\":[1,2.5,true,null]}}}";
        assertThat(masked(body)).isEqualTo(body);
    }

    @Test
    void membersWithTheNamesOfSecretsAreMaskedWhateverTheyHold() {
        assertThat(masked("{\"password\":\"a\",\"API-Key\" : 12,\"x\":1}"))
                .isEqualTo("{\"password\":\"***\",\"API-Key\" : \"***\",\"x\":1}");
        assertThat(masked("{\"credentials\":{\"a\":[\"}\",{}]},\"b\":2}"))
                .isEqualTo("{\"credentials\":\"***\",\"b\":2}");
        assertThat(masked("{\"tokens\":[\"a\",\"b\"],\"b\":[3]}")).isEqualTo("{\"tokens\":\"***\",\"b\":[3]}");
        assertThat(masked("{\"pass\\u0077ord\":\"a\"}")).isEqualTo("{\"pass\\u0077ord\":\"***\"}");
        assertThat(masked("{\"name\":\"DB_PASSWORD\",\"value\":\"a\"}"))
                .isEqualTo("{\"name\":\"DB_PASSWORD\",\"value\":\"***\"}");
    }

    @Test
    void textsWithinTextsAreLookedInto() {
        assertThat(masked("{\"text\":\"{\\\"password\\\":\\\"hunter2\\\",\\\"x\\\":1}\"}"))
                .isEqualTo("{\"text\":\"{\\\"password\\\":\\\"***\\\",\\\"x\\\":1}\"}");
        String deep = "{\"secret\":\"hunter2\"}";
        for (int i = 0; i < 8; i++) {
            deep = "{\"text\":\"" + deep.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}";
        }
        assertThat(masked(deep)).doesNotContain("hunter2");
        assertThat(masked("{\"text\":\"SET password=hunter2 now\"}")).isEqualTo("{\"text\":\"SET password=*** now\"}");
        assertThat(masked("{\"text\":\"\\u0042earer abcdefgh\"}")).isEqualTo("{\"text\":\"Bearer ***\"}");
        assertThat(masked("{\"text\":\"value q7Rt0ZpL2mXw9sKd4vBn\"}")).isEqualTo("{\"text\":\"value ***\"}");
    }

    @Test
    void whatTheRequestBroughtItselfIsMaskedWhereverItIsSaid() {
        assertThat(masked("{\"text\":\"you said hunter2\",\"n\":4711}", "hunter2", "4711"))
                .isEqualTo("{\"text\":\"you said ***\",\"n\":***}");
        assertThat(masked("{\"text\":\"h\\u0075nter2\"}", "hunter2")).isEqualTo("{\"text\":\"***\"}");
        assertThat(masked("hunter2 and no JSON", "hunter2")).isEqualTo("*** and no JSON");
        assertThat(masked("{\"hunter2\":1}", "hunter2")).isEqualTo("{\"***\":1}");
    }

    @Test
    void brokenBodiesAndEventsAreMaskedAsWell() {
        assertThat(masked("{\"password\":\"hunter2")).isEqualTo("{\"password\":\"***\"");
        assertThat(masked("{\"password\":[\"hunter2\",")).isEqualTo("{\"password\":\"***\"");
        assertThat(masked("{\"password\":hunter2")).isEqualTo("{\"password\":\"***\"");
        assertThat(masked("{\"password\":\"hunter2\\")).isEqualTo("{\"password\":\"***\"");
        assertThat(masked("{\"text\":\"\\u00")).doesNotContain("***");
        assertThat(masked("event: message\ndata: {\"token\":\"abc\",\"x\":1}\n\n"))
                .isEqualTo("event: message\ndata: {\"token\":\"***\",\"x\":1}\n\n");
        assertThat(masked("user=ann&password=hunter2&x=1")).isEqualTo("user=ann&password=***&x=1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"",
                "\\",
                "{\"password\":[",
                "{",
                "\"a\":",
                "\"\\\"",
                "\"{\\\"",
                "\\u",
                "\"token\":",
                ":",
                "[\"key\"",
                "a1"
            })
    void timeIsInProportionToTheBodyWhateverItSays(String piece) {
        String body = piece.repeat(300_000 / piece.length());
        Assertions.assertTimeout(Duration.ofSeconds(5), () -> masked(body, "hunter2", "aaaa"));
    }

    @Test
    void ofAQueryTheNamesAreShown() {
        assertThat(QueryMask.of("a=1&b=2&flag&api_key=abc=d&=x")).isEqualTo("a=***&b=***&***&api_key=***&***=***");
        assertThat(QueryMask.of("")).isEqualTo("***");
        assertThat(QueryMask.of("q7Rt0ZpL2mXw9sKd4vBn=1&%0a=2&" + "x".repeat(41) + "=3"))
                .isEqualTo("***=***&***=***&***");
        assertThat(QueryMask.of("a=1&".repeat(50_000))).hasSizeLessThan(200).endsWith("&\u2026");
    }
}
