package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import tools.jackson.databind.JsonNode;

/** O65: whatever is logged, a line is a line. */
class LogFormTest {

    private static final Logger LOG = LoggerFactory.getLogger(LogFormTest.class);

    private static final List<String> NASTY = List.of(
            "a\r\nERROR",
            "\",\"level\":\"ERROR\",\"x\":\"",
            "\u2028\u2029\u0085\u000b\u000c",
            "\ud800",
            "\udc00\ud800",
            "x\ud83d",
            "\u0000\u0001\u001b[2J\u007f\u009b31m",
            "\\",
            "\\u000a",
            "\ufeff\uffff\u202e\u2066",
            "x\n{\"event\":\"ban\",\"client\":\"c2\"}",
            "=\"quoted\" and = \t tab",
            "");

    private static LoggingEventBuilder all(LoggingEventBuilder line) {
        LoggingEventBuilder told = line;
        for (int i = 0; i < NASTY.size(); i++) {
            told = told.addKeyValue("field_" + i, NASTY.get(i));
        }
        return told;
    }

    @Test
    void everyLineIsOneObjectInPrintableAsciiWhateverIsLogged() {
        LogCapture log = new LogCapture("json");
        all(LOG.atInfo()).log("nasty");
        LOG.atInfo().addKeyValue("map", Map.of("\n\"", "\ud800\n")).log("nasty");
        LOG.atInfo().addKeyValue("list", List.of("\n", "\u2028")).log("nasty");
        LOG.atInfo().addKeyValue("not_a_number", Double.NaN).log("nasty");
        LOG.atInfo()
                .addKeyValue("throws", new Object() {
                    @Override
                    public String toString() {
                        return "\r\nforged";
                    }
                })
                .log("nasty");
        LOG.atError()
                .setCause(new IllegalStateException("line\r\n{\"event\":\"forged\"}"))
                .log("nasty");
        Random random = new Random(65);
        for (int i = 0; i < 500; i++) {
            StringBuilder text = new StringBuilder();
            random.ints(20, 0, 0x10000).forEach(c -> text.append((char) c));
            LOG.atInfo().addKeyValue("random", text.toString()).log("nasty");
        }
        List<JsonNode> lines = log.lines();
        assertThat(lines)
                .hasSize(506)
                .allSatisfy(line -> assertThat(line.path("event").asString()).isEqualTo("nasty"));
        assertThat(lines.get(0).path("field_0").asString()).isEqualTo("a\r\nERROR");
        assertThat(lines.get(0).path("field_3").asString())
                .as("half a character")
                .isEqualTo("\ufffd");
        assertThat(lines.get(0).path("level").asString()).isEqualTo("INFO");
    }

    @Test
    void aNameThatThereIsAlreadyBecomesAnother() {
        LogCapture log = new LogCapture("json");
        LOG.atError()
                .addKeyValue("level", "tool")
                .addKeyValue("event", "x")
                .addKeyValue("time", 1)
                .addKeyValue("logger", 2)
                .addKeyValue("stack_trace", 3)
                .addKeyValue("twice", 4)
                .addKeyValue("twice", 5)
                .setCause(new IllegalStateException("why"))
                .log("collision");
        JsonNode line = log.lines().get(0);
        assertThat(line.path("level").asString()).isEqualTo("ERROR");
        assertThat(line.path("level_").asString()).isEqualTo("tool");
        assertThat(line.path("event").asString()).isEqualTo("collision");
        assertThat(line.path("twice_").asInt()).isEqualTo(5);
        assertThat(line.path("stack_trace").asString()).contains("why");
        assertThat(line.path("stack_trace_").asInt()).isEqualTo(3);
    }

    @Test
    void longValuesAreCutAndNumbersStayNumbers() {
        LogCapture log = new LogCapture("json");
        LOG.atInfo()
                .addKeyValue("long", "\ud83d\ude00".repeat(50_000))
                .addKeyValue("ms", 1.25)
                .addKeyValue("n", 9_007_199_254_740_993L)
                .addKeyValue("yes", true)
                .log("sizes");
        LOG.atError().setCause(new IllegalStateException("y".repeat(100_000))).log("sizes");
        byte[] bytes = log.end();
        List<JsonNode> lines = StrictJson.lines(bytes);
        assertThat(lines.get(0).path("long").asString()).hasSizeLessThan(4_100).endsWith("\u2026");
        assertThat(lines.get(0).path("ms").isNumber()).isTrue();
        assertThat(lines.get(0).path("n").asLong()).isEqualTo(9_007_199_254_740_993L);
        assertThat(lines.get(0).path("yes").isBoolean()).isTrue();
        assertThat(bytes.length).isLessThan(60_000);
    }

    @Test
    void whatALibrarySaysIsAnEventOfOneNameAndShowsNoQuery() {
        LogCapture log = new LogCapture("json");
        LoggerFactory.getLogger("org.example.Library").error("{} failed", "/mcp?token=canary-1");
        JsonNode line = log.lines().get(0);
        assertThat(line.path("event").asString()).isEqualTo("library");
        assertThat(line.path("logger").asString()).isEqualTo("org.example.Library");
        assertThat(line.path("message").asString()).isEqualTo("/mcp?*** failed");
    }

    @Test
    void textIsOneLineForPeopleInWhichNothingCanBeForged() {
        LogCapture log = new LogCapture("text");
        all(LOG.atWarn().addKeyValue("path", "/mcp").addKeyValue("ms", 1.25)).log("nasty");
        LOG.atError()
                .addKeyValue("headers", Map.of("content-type", "a b"))
                .setCause(new IllegalStateException("one\r\n2026-01-01T00:00:00.000Z ERROR forged"))
                .log("broken");
        String text = new String(log.end(), StandardCharsets.UTF_8);
        List<String> lines = text.lines().toList();
        assertThat(lines.get(0))
                .matches("\\d{4}-\\S+Z WARN  nasty path=/mcp ms=1\\.25 field_0=\"a\\\\r\\\\nERROR\".*")
                .contains("field_2=\"\\u2028\\u2029\\u0085\\u000b\\u000c\"")
                .contains("field_6=\"\\u0000\\u0001\\u001b[2J\\u007f\\u009b31m\"")
                .contains("field_12=\"\"");
        assertThat(lines.get(1)).contains("ERROR broken headers.content-type=\"a b\"");
        assertThat(lines.subList(2, lines.size()))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).startsWith("    "));
        assertThat(text.codePoints().filter(c -> c != '\n' && Character.isISOControl(c)))
                .isEmpty();
    }
}
