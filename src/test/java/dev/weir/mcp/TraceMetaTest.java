package dev.weir.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.corpus.Corpus;
import dev.weir.corpus.Entry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Where a message names its trace, and bodies that differ in that and in nothing else. */
class TraceMetaTest {

    private static final String OLD = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    private static final String NEW = "00-4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111-01";

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .build();

    private final McpReader reader = new McpReader(true);

    private TraceMeta trace(String body) {
        return ((Reading.Read) reader.read(body.getBytes(UTF_8))).trace();
    }

    private static String call(String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":" + params + "}";
    }

    private String replaced(String body) {
        return new String(trace(body).replaced(body.getBytes(UTF_8), NEW), UTF_8);
    }

    private String with(String body, @Nullable String state) {
        return new String(trace(body).with(body.getBytes(UTF_8), NEW, state), UTF_8);
    }

    @Test
    void aParentIsFoundWithItsStateAndReplacedWhereItStands() {
        String body = call("{\"name\":\"T\",\"_meta\":{\"a\":1,\"traceparent\":\"" + OLD
                + "\",\"tracestate\":\"k=v\"},\"arguments\":{}}");
        assertThat(trace(body).parent()).isEqualTo(OLD);
        assertThat(trace(body).state()).isEqualTo("k=v");
        assertThat(trace(body).hasRoom()).isFalse();
        assertThat(replaced(body)).isEqualTo(body.replace(OLD, NEW));
    }

    @Test
    void aReaderThatIsNotToLookFindsNothing() {
        String body = call("{\"name\":\"T\",\"_meta\":{\"traceparent\":\"" + OLD + "\"}}");
        assertThat(((Reading.Read) new McpReader().read(body.getBytes(UTF_8))).trace())
                .isSameAs(TraceMeta.NONE);
    }

    @Test
    void aValueWithEscapesIsReplacedAsAWhole() {
        String escaped = OLD.replace("-", "\\u002d");
        String body = call("{\"name\":\"T\",\"_meta\":{\"traceparent\" :\t\"" + escaped + "\" }}");
        assertThat(trace(body).parent()).isEqualTo(OLD);
        assertThat(replaced(body)).isEqualTo(body.replace(escaped, NEW));
    }

    @Test
    void aNameWithEscapesIsTheSameName() {
        String body = call("{\"name\":\"T\",\"_meta\":{\"trace\\u0070arent\":\"" + OLD + "\"}}");
        assertThat(replaced(body)).isEqualTo(body.replace(OLD, NEW));
    }

    @Test
    void charactersOfSeveralBytesMoveThePlaceByTheirBytes() {
        String body = call("{\"name\":\"Ünïcode €\",\"_meta\":{\"\uD83D\uDE00\":\"\uD83D\uDE00\",\"traceparent\":\""
                + OLD + "\",\"x\":\"ß\"},\"arguments\":{\"t\":\"\uD83D\uDE00\"}}");
        assertThat(replaced(body)).isEqualTo(body.replace(OLD, NEW));
        String room = call("{\"name\":\"Ü€\uD83D\uDE00\",\"_meta\":{\"é\":1}}");
        assertThat(with(room, null)).isEqualTo(room.replace("{\"é\"", "{\"traceparent\":\"" + NEW + "\",\"é\""));
    }

    @Test
    void intoAMetaThatNamesNoneOneIsPut() {
        String body =
                call("{\"_meta\": \n{ \"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"},\"name\":\"T\"}");
        assertThat(trace(body).hasRoom()).isTrue();
        assertThat(with(body, null)).isEqualTo(body.replace("{ \"io", "{\"traceparent\":\"" + NEW + "\", \"io"));
        assertThat(with(body, "a=\"\\")).contains(NEW + "\",\"tracestate\":\"a=\\\"\\\\\", \"io");
    }

    @Test
    void intoAnEmptyMetaItIsPutWithoutAComma() {
        assertThat(with(call("{\"name\":\"T\",\"_meta\":{ }}"), null))
                .isEqualTo(call("{\"name\":\"T\",\"_meta\":{\"traceparent\":\"" + NEW + "\" }}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\":\"T\"}",
                "{\"name\":\"T\",\"arguments\":{\"_meta\":{\"traceparent\":\"" + OLD + "\"}}}",
                "{\"name\":\"T\",\"_meta\":{\"traceparent\":null}}",
                "{\"name\":\"T\",\"_meta\":{\"traceparent\":[\"" + OLD + "\"]}}",
                "{\"name\":\"T\",\"_meta\":{\"traceparent\":{\"traceparent\":\"" + OLD + "\"},\"a\":1}}",
                "{\"name\":\"T\",\"_meta\":{\"tracestate\":\"k=v\"}}"
            })
    void whatNamesNoParentWhereItBelongsIsLeftAlone(String params) {
        TraceMeta trace = trace(call(params));
        assertThat(trace.parent()).isNull();
        assertThat(trace.hasRoom()).isFalse();
    }

    @Test
    void aMetaWithinTheMetaIsNone() {
        TraceMeta trace =
                trace(call("{\"name\":\"T\",\"_meta\":{\"_meta\":{\"traceparent\":\"" + OLD + "\"},\"a\":{}}}"));
        assertThat(trace.parent()).isNull();
        assertThat(trace.hasRoom()).isTrue();
    }

    @Test
    void aParentThatStandsThereTwiceIsNoMessage() {
        String body =
                call("{\"name\":\"T\",\"_meta\":{\"traceparent\":\"" + OLD + "\",\"traceparent\":\"" + NEW + "\"}}");
        assertThat(reader.read(body.getBytes(UTF_8))).isInstanceOf(Reading.Unreadable.class);
    }

    @Test
    void aMetaThatIsNoObjectIsNoMessage() {
        assertThat(reader.read(
                        call("{\"name\":\"T\",\"_meta\":\"traceparent\"}").getBytes(UTF_8)))
                .isInstanceOf(Reading.Unreadable.class);
    }

    @Test
    void whatIsTooLongToBeAParentIsNone() {
        TraceMeta trace = trace(call("{\"name\":\"T\",\"_meta\":{\"traceparent\":\"" + "a".repeat(100_000) + "\"}}"));
        assertThat(trace.parent()).isNull();
        assertThat(trace.hasRoom()).isFalse();
    }

    @Test
    void whereThereIsNothingToReplaceOrNoRoomNothingIsDone() {
        byte[] body = call("{\"name\":\"T\"}").getBytes(UTF_8);
        assertThatThrownBy(() -> TraceMeta.NONE.replaced(body, NEW)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> TraceMeta.NONE.with(body, NEW, null)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aBatchIsLeftAlone() {
        String body = "[" + call("{\"name\":\"T\",\"_meta\":{\"traceparent\":\"" + OLD + "\"}}") + "]";
        assertThat(reader.read(body.getBytes(UTF_8))).isInstanceOf(Reading.Batch.class);
    }

    @Test
    void looksOfATraceChangeNothingOfWhatIsRead() {
        assertThat(Corpus.all()).allSatisfy(entry -> {
            Reading plain = new McpReader().read(entry.body());
            Reading traced = reader.read(entry.body());
            if (plain instanceof Reading.Read read) {
                assertThat(((Reading.Read) traced).message()).isEqualTo(read.message());
            } else {
                assertThat(traced).isEqualTo(plain);
            }
        });
    }

    /** The corpus, and bodies that are made up. */
    static Stream<byte[]> bodies() {
        Random random = new Random(414);
        return Stream.concat(
                Corpus.all().map(Entry::body),
                Stream.generate(() -> new RandomMessage(random).text().getBytes(UTF_8))
                        .limit(3_000));
    }

    @Test
    void whatIsSplicedIsTheSameMessageApartFromItsTrace() {
        int[] changed = new int[2];
        bodies().forEach(body -> {
            if (!(reader.read(body) instanceof Reading.Read read)) {
                return;
            }
            TraceMeta trace = read.trace();
            if (trace.parent() != null) {
                changed[0]++;
                same(body, trace.replaced(body, NEW), null);
            } else if (trace.hasRoom()) {
                changed[1]++;
                same(body, trace.with(body, NEW, "k=v"), "k=v");
            }
        });
        assertThat(changed[0]).isGreaterThan(300);
        assertThat(changed[1]).isGreaterThan(300);
    }

    private void same(byte[] body, byte[] spliced, @Nullable String state) {
        Reading.Read again = (Reading.Read) reader.read(spliced);
        assertThat(again.trace().parent()).isEqualTo(NEW);
        JsonNode before = MAPPER.readTree(body);
        JsonNode after = MAPPER.readTree(spliced);
        assertThat(meta(after).get("traceparent").asString()).isEqualTo(NEW);
        if (state != null) {
            assertThat(meta(after).remove("tracestate").asString()).isEqualTo(state);
        }
        meta(before).remove("traceparent");
        meta(after).remove("traceparent");
        assertThat(after).isEqualTo(before);
        assertThat(again.message().method())
                .isEqualTo(((Reading.Read) reader.read(body)).message().method());
    }

    private static ObjectNode meta(JsonNode message) {
        return (ObjectNode) message.get("params").get("_meta");
    }

    /** A message with members in any order, blanks anywhere, and names and texts that are hard to read. */
    private record RandomMessage(Random random) {

        private static final List<String> NAMES = List.of(
                "a",
                "io.modelcontextprotocol/protocolVersion",
                "é",
                "\\u00e9x",
                "_meta",
                "tracestate",
                "€\uD83D\uDE00",
                "\\\"",
                "");
        private static final List<String> VALUES = List.of(
                "1",
                "-0.5e3",
                "null",
                "true",
                "\"\"",
                "\"\\\"}{\"",
                "\"\uD83D\uDE00\"",
                "{\"traceparent\":\"x\"}",
                "[{},[]]");

        String text() {
            String meta = "\"_meta\"" + blank() + ":" + blank() + object(random.nextInt(3) > 0);
            String name = "\"name\":" + blank() + "\"" + NAMES.get(random.nextInt(6)) + "n\"";
            String arguments = "\"arguments\":" + object(false);
            List<String> params = new ArrayList<>(List.of(name, arguments, meta));
            Collections.shuffle(params, random);
            return blank()
                    + call(blank() + "{" + blank() + String.join(blank() + "," + blank(), params) + blank() + "}"
                            + blank())
                    + blank();
        }

        private String object(boolean traced) {
            Map<String, String> members = new LinkedHashMap<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                members.put(NAMES.get(random.nextInt(NAMES.size())), VALUES.get(random.nextInt(VALUES.size())));
            }
            if (traced && random.nextBoolean()) {
                members.put("traceparent", "\"" + (random.nextBoolean() ? OLD : OLD.replace("f", "\\u0066")) + "\"");
            }
            List<String> texts = new ArrayList<>();
            members.forEach((name, value) -> texts.add("\"" + name + "\"" + blank() + ":" + blank() + value));
            Collections.shuffle(texts, random);
            return "{" + blank() + String.join(blank() + "," + blank(), texts) + blank() + "}";
        }

        private String blank() {
            return " \n\t\r ".substring(0, random.nextInt(3) * random.nextInt(3));
        }
    }
}
