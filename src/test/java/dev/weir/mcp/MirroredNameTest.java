package dev.weir.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/**
 * Whatever stands in {@code Mcp-Name}: where Weir finds that it agrees with the body, every server reads that same name out of the
 * field, or the request was refused.
 */
class MirroredNameTest {

    private static final String START = "=?base64?";
    private static final String END = "?=";
    private static final String REVISION = "2026-07-28";

    private static final List<String> PARTS = List.of(
            START,
            END,
            "ZWNobw==",
            "ZWNobw",
            "ZWNo",
            "bw==",
            "echo",
            "=",
            "?",
            "-",
            "_",
            "+",
            "/",
            " ",
            "\t",
            "\n",
            "\r",
            "\u00e9",
            "A",
            "w6k=",
            "/+8=",
            "_-8=");

    @RepeatedTest(10)
    void aNameThatAgreesIsReadAlikeByEveryServer(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        for (int tried = 0; tried < 2_000; tried++) {
            String middle = random.ints(random.nextInt(6), 0, PARTS.size())
                    .mapToObj(PARTS::get)
                    .collect(Collectors.joining());
            readAlike(middle);
            readAlike(START + middle + END);
        }
    }

    @Test
    void aNameThatNeedsItIsReadOutOfItsCode() {
        assertThat(agrees("echo", "=?base64?ZWNobw==?=")).isTrue();
        assertThat(agrees("echo", "echo")).isTrue();
    }

    private static void readAlike(String field) {
        Set<String> readings = readings(field);
        for (String name : readings) {
            if (!name.isEmpty() && agrees(name, field)) {
                assertThat(readings).as("readings of [%s]", field).containsExactly(name);
            }
        }
    }

    private static boolean agrees(String name, String field) {
        McpMessage call =
                new McpMessage(McpMessage.Kind.REQUEST, new RequestId("1"), "tools/call", name, Era.MODERN, null);
        Reading checked = MirroredHeaders.checked(new Reading.Read(call, REVISION), header -> switch (header) {
            case "MCP-Protocol-Version" -> List.of(REVISION);
            case "Mcp-Method" -> List.of("tools/call");
            case "Mcp-Name" -> List.of(field);
            default -> List.of();
        });
        return checked instanceof Reading.Read;
    }

    /** What servers of several makes take the field for; each of them strips blanks first, as HTTP asks for. */
    private static Set<String> readings(String field) {
        String value = field.replaceAll("^[ \t]+|[ \t]+$", "");
        Set<String> readings = new TreeSet<>();
        if (!value.startsWith(START) || !value.endsWith(END) || value.length() < START.length() + END.length()) {
            readings.add(value);
            return readings;
        }
        String base64 = value.substring(START.length(), value.length() - END.length());
        readings.add(text(Base64.getMimeDecoder(), base64.replaceAll("[^A-Za-z0-9+/]", "")));
        readings.add(text(
                Base64.getMimeDecoder(),
                base64.replace('-', '+').replace('_', '/').replaceAll("=.*", "")));
        return readings;
    }

    private static String text(Base64.Decoder decoder, String base64) {
        try {
            return new String(decoder.decode(base64), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
