package dev.weir.mcp;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class McpReaderTest {

    private static final String CALL =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"T1\",\"arguments\":{}}}";

    private final McpReader reader = new McpReader();

    private Reading read(String body) {
        return reader.read(body.getBytes(UTF_8));
    }

    private McpMessage message(String body) {
        Reading reading = read(body);
        assertThat(reading).isInstanceOf(Reading.Read.class);
        return ((Reading.Read) reading).message();
    }

    private Reading.Unreadable unreadable(byte[] body) {
        Reading reading = reader.read(body);
        assertThat(reading).isInstanceOf(Reading.Unreadable.class);
        return (Reading.Unreadable) reading;
    }

    private Reading.Unreadable unreadable(String body) {
        return unreadable(body.getBytes(UTF_8));
    }

    @Test
    void aCallOfAToolIsReadWhateverTheOrderOfItsMembers() {
        McpMessage message = message(
                "{\"params\":{\"arguments\":{\"name\":\"other\"},\"name\":\"T1\"},\"method\":\"tools/call\",\"id\":\"x\",\"jsonrpc\":\"2.0\"}");

        assertThat(message.kind()).isEqualTo(McpMessage.Kind.REQUEST);
        assertThat(message.tool()).isEqualTo("T1");
        assertThat(message.id()).isEqualTo(new RequestId("\"x\""));
        assertThat(message.era()).isEqualTo(Era.LEGACY);
    }

    @Test
    void aBatchIsReadMessageByMessage() {
        Reading reading = reader.read(("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},"
                        + " {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"},"
                        + " {\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"tools/call\",\"params\":{\"name\":\"T1\"}},"
                        + " {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]")
                .getBytes(UTF_8));
        assertThat(reading).isInstanceOfSatisfying(Reading.Batch.class, batch -> {
            assertThat(batch.messages())
                    .extracting(McpMessage::kind)
                    .containsExactly(
                            McpMessage.Kind.NOTIFICATION,
                            McpMessage.Kind.REQUEST,
                            McpMessage.Kind.REQUEST,
                            McpMessage.Kind.RESPONSE);
            assertThat(batch.ids()).extracting(RequestId::json).containsExactly("7", "\"b\"");
            assertThat(batch.first().tool()).isEqualTo("T1");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "0",
                "-0",
                "9007199254740993",
                "9223372036854775808",
                "123456789012345678901234567890",
                "\"\"",
                "\"1\"",
                "\"req-98214\"",
                "\"é ü\"",
                "\"a\\\"b\\\\c\""
            })
    void anIdIsKeptWithItsTypeAndEveryDigit(String id) {
        McpMessage message = message(CALL.replace("\"id\":1", "\"id\":" + id));

        assertThat(message.id()).isEqualTo(new RequestId(id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{ \"a\" : [1, {\"b\":null}] }", "{\"é\":\"\ud83d\ude00\"}"})
    void argumentsAreToldApartByADigestOfTheBytesThatWereSent(String arguments) throws Exception {
        byte[] sha256 = MessageDigest.getInstance("SHA-256").digest(arguments.getBytes(UTF_8));
        String expected = HexFormat.of().formatHex(sha256).substring(0, 16);
        for (String name : new String[] {"T1", "tööl \u20ac \ud83d\ude00"}) {
            String params = "{\"name\":\"" + name + "\",\"arguments\":  " + arguments + " ,\"x\":{\"arguments\":{}}}";
            Arguments read = message(
                            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":" + params + "}")
                    .arguments();
            assertThat(Objects.requireNonNull(read).digest()).isEqualTo(expected);
            assertThat(read).hasToString("arguments of " + arguments.getBytes(UTF_8).length + " bytes");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",\"arguments\":null", ",\"arguments\":[]", ",\"arguments\":\"x\"", ",\"arguments\":7"})
    void whatIsNoObjectIsNoArguments(String member) {
        assertThat(message(CALL.replace(",\"arguments\":{}", member)).arguments())
                .isNull();
    }

    @Test
    void notificationsAndResponsesAreToldApart() {
        McpMessage cancelled = message("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}");
        assertThat(cancelled.kind()).isEqualTo(McpMessage.Kind.NOTIFICATION);
        McpMessage answer = message("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"name\":[1,{}]}}");
        assertThat(answer.kind()).isEqualTo(McpMessage.Kind.RESPONSE);
        assertThat(answer.method()).isNull();
        assertThat(message("{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":1}}")
                        .kind())
                .isEqualTo(McpMessage.Kind.RESPONSE);
        assertThat(message(CALL.replace("\"id\":1,", "")).kind()).isEqualTo(McpMessage.Kind.NOTIFICATION);
    }

    @ParameterizedTest
    @CsvSource({"2026-07-28,MODERN", "2027-01-01,MODERN", "2025-11-25,LEGACY", "2024-11-05,LEGACY"})
    void theEraIsToldByTheRevisionInMeta(String revision, Era era) {
        String meta =
                "\"_meta\":{\"progressToken\":{},\"io.modelcontextprotocol/protocolVersion\":\"" + revision + "\"},";
        assertThat(message(CALL.replace("\"name\"", meta + "\"name\"")).era()).isEqualTo(era);
    }

    @Test
    void whatAMethodIsAppliedToIsItsNameOrItsUri() {
        assertThat(message("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"p\"}}")
                        .name())
                .isEqualTo("p");
        assertThat(message("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"a:b\"}}")
                        .name())
                .isEqualTo("a:b");
        assertThat(message("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}").name())
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Duplicate members, at each level and in other spellings.
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"FREE\",\"name\":\"T1\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"FREE\",\"na\\u006de\":\"T1\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"tools/call\",\"params\":{\"name\":\"T1\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"T1\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"T1\"},\"params\":{\"name\":\"T1\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"T1\",\"arguments\":{\"a\":{\"b\":1,\"b\":2}}}}",
                // Ids that are none.
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1e3,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"\\ud800\",\"method\":\"ping\"}",
                // No JSON-RPC message.
                "[]",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},7]",
                "42",
                "\"x\"",
                "null",
                "true",
                "{}",
                "{\"method\":7}",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}",
                "{\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"error\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}",
                // A call of no tool.
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[]}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":5}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\\ud800\"}}",
                // Two values.
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} 1"
            })
    void whatIsNoMessageOrCouldBeTwoIsAnInvalidRequest(String body) {
        Reading.Unreadable unreadable = unreadable(body);

        assertThat(unreadable.status()).isEqualTo(400);
        assertThat(unreadable.code()).isEqualTo(-32600);
        assertThat(unreadable.reason()).isNotBlank().doesNotContain("T1").doesNotContain("FREE");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "{",
                "{\"a\":}",
                "{'a':1}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x",
                "{\"jsonrpc\":\"2.0\",\"id\":NaN}",
                "{\"jsonrpc\":\"2.0\",}",
                "// c\n{}",
                "{\"id\":01}"
            })
    void whatIsNoJsonIsAParseError(String body) {
        assertThat(unreadable(body).status()).isEqualTo(400);
        assertThat(unreadable(body).code()).isEqualTo(-32700);
    }

    @Test
    void onlyStrictUtf8IsRead() {
        byte[] overlong = CALL.replace("T1", "??").getBytes(UTF_8);
        int at = CALL.indexOf("T1");
        overlong[at] = (byte) 0xC0;
        overlong[at + 1] = (byte) 0xAF;
        assertThat(unreadable(overlong).code()).isEqualTo(-32700);
        assertThat(unreadable("\uFEFF" + CALL).code()).isEqualTo(-32700);
        for (Charset charset :
                new Charset[] {UTF_16LE, UTF_16BE, Charset.forName("UTF-32BE"), Charset.forName("UTF-32LE")}) {
            assertThat(unreadable(CALL.getBytes(charset)).code())
                    .as(charset.name())
                    .isEqualTo(-32700);
        }
        assertThat(message(CALL.replace("T1", "é")).tool()).isEqualTo("é");
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 100_000})
    void nestingIsBoundedWithoutAStackOverflow(int depth) {
        String body = CALL.replace("{}", "[".repeat(depth) + "]".repeat(depth));
        assertThat(unreadable(body).status()).isEqualTo(400);
    }

    @Test
    void nestingAsDeepAsCanBeReadFitsIntoASmallStack() throws Exception {
        // O06: containers may give their threads half a megabyte.
        String deepest = CALL.replace("{}", "[".repeat(McpReader.MAX_DEPTH - 2) + "]".repeat(McpReader.MAX_DEPTH - 2));
        String deeper = CALL.replace("{}", "[".repeat(100_000) + "]".repeat(100_000));
        Queue<Reading> readings = new ConcurrentLinkedQueue<>();
        Runnable reading = () -> {
            readings.add(read(deepest));
            readings.add(read(deeper));
        };
        Thread thread = new Thread(null, reading, "small-stack", 512 * 1024);
        thread.start();
        thread.join();
        assertThat(readings).hasExactlyElementsOfTypes(Reading.Read.class, Reading.Unreadable.class);
    }

    @Test
    void nestingUpToTheBoundIsRead() {
        int depth = McpReader.MAX_DEPTH - 2;
        assertThat(message(CALL.replace("{}", "[".repeat(depth) + "]".repeat(depth)))
                        .tool())
                .isEqualTo("T1");
    }

    @Test
    void largeTextsAreReadAndLongNumbersAreNot() {
        String text = "x".repeat(900_000);
        assertThat(message(CALL.replace("{}", "{\"text\":\"" + text + "\"}")).tool())
                .isEqualTo("T1");
        assertThat(unreadable(CALL.replace("{}", "1".repeat(5_000))).code()).isEqualTo(-32600);
    }

    @Test
    void theIdIsKnownWhereverItCouldBeRead() {
        assertThat(unreadable("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\"}")
                        .id())
                .isEqualTo(new RequestId("7"));
    }
}
