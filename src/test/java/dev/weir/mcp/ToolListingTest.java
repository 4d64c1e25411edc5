package dev.weir.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Which tools are cut out of an answer, and that nothing else is touched. */
class ToolListingTest {

    private static final JsonMapper JSON = new JsonMapper();

    /** All but these may be seen. */
    private static final Set<String> HIDDEN = Set.of("h1", "h2", "h\u00e9");

    private final ToolListing listing = new ToolListing(name -> !HIDDEN.contains(name));

    private @Nullable String shown(String json) {
        byte[] bytes = listing.shown(json.getBytes(StandardCharsets.UTF_8));
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private static String list(String tools) {
        return "{\"jsonrpc\": \"2.0\",\n \"id\":1, \"result\" : { \"x\":[1, {\"tools\":[{\"name\":\"h1\"}]}], \"tools\":["
                + tools + "] ,\"nextCursor\":\"\u00e9\"}}\r\n";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "H | ",
                " H  |    ",
                "H,H | ",
                "V | V",
                "V , V | V , V",
                "H , V , V | V , V",
                "V , H , V | V , V",
                "V , V , H | V , V",
                "H , H , V | V",
                "V , H , H , V | V , V",
                "H,V,H,V,H | V,V",
                "H , W , N | W",
                "3,V,[],\"h1\",null,true,{},V | V,V"
            })
    void whatIsHiddenIsCutWithItsCommaAndNothingElse(String before, @Nullable String after) {
        assertThat(shown(list(tools(before)))).isEqualToIgnoringWhitespace(list(tools(after == null ? "" : after)));
        String wanted = list(tools(after == null ? "" : after)).replaceAll("\\[\\s*]", "[]");
        assertThat(String.valueOf(shown(list(tools(before)))).replaceAll("\\[\\s*]", "[]"))
                .isEqualTo(wanted);
    }

    private static String tools(String letters) {
        return letters.replace("H", "{\"name\":\"h1\",\"inputSchema\":{\"name\":\"v\",\"a\":[{\"b\":1.50}]}}")
                .replace("V", "{\"inputSchema\" : {\"name\":\"h1\"}, \"name\" : \"v\\u0031\u20ac\", \"n\":1e5}")
                .replace("W", "{\"description\":\"]}\\\"\ud83d\ude00\",\"name\":\"w\"}")
                .replace("N", "{\"title\":\"no name\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\":\"v\",\"name\":\"h1\"}",
                "{\"name\":\"h1\",\"name\":\"v\"}",
                "{\"n\\u0061me\":\"\\u0068\\u0031\"}",
                "{\"name\":\"h\u00e9\"}",
                "{\"name\":5}",
                "{\"name\":[\"v\"]}",
                "{\"name\":null}",
                "{\"Name\":\"v\"}"
            })
    void aToolOfWhichOneNameIsHiddenOrNoneIsAName(String tool) {
        assertThat(shown(list(tool))).isEqualTo(list(""));
    }

    @Test
    void namesAreComparedExactly() {
        String other = list("{\"name\":\"H1\"},{\"name\":\"h1 \"},{\"name\":\"\"}");
        assertThat(shown(other)).isEqualTo(other);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"tools\":[{\"name\":\"h1\"}]}}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"tools\":[{\"name\":\"h1\"}]}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"tools\":[{\"name\":\"h1\"}]}]}}",
                "{\"result\":[{\"tools\":[{\"name\":\"h1\"}]}],\"tools\":[{\"name\":\"h1\"}]}",
                "{\"result\":{\"tools\":null}}",
                " [ ] ",
                "\"text\"",
                "1",
                "null"
            })
    void whatIsNoListOfToolsPassesAsTheSameBytes(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        assertThat(listing.shown(bytes)).isSameAs(bytes);
    }

    @Test
    void aListInWhichAllMayBeSeenPassesAsTheSameBytes() {
        byte[] bytes = list("{\"name\":\"v\"}").getBytes(StandardCharsets.UTF_8);
        assertThat(listing.shown(bytes)).isSameAs(bytes);
    }

    @Test
    void eachAnswerOfABatchIsLookedAtAndEachOfTwoMembersOfOneName() {
        String one =
                "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"h1\"},{\"name\":\"v\"}],\"tools\":[{\"name\":\"h2\"}]},"
                        + "\"result\":{\"tools\":[{\"name\":\"h1\"}]}}";
        String left = "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"v\"}],\"tools\":[]},\"result\":{\"tools\":[]}}";
        assertThat(shown("[" + one + ", 7, " + one + "]")).isEqualTo("[" + left + ", 7, " + left + "]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"{\"name\":\"h1\"} | []", "\"h1\" | []", "7 | []", "true | []", "{} | []"})
    void toolsThatAreNoArrayAreNone(String tools, String left) {
        assertThat(shown("{\"result\":{\"tools\": " + tools + " ,\"a\":1}}"))
                .isEqualTo("{\"result\":{\"tools\": " + left + " ,\"a\":1}}");
    }

    @Test
    void aListThatWasForEverybodyIsForItsReader() {
        assertThat(shown("{\"result\":{\"cacheScope\" : \"public\" ,\"tools\":[{\"name\":\"h1\"}],\"ttlMs\":5}}"))
                .isEqualTo("{\"result\":{\"cacheScope\" : \"private\" ,\"tools\":[],\"ttlMs\":5}}");
        assertThat(shown("{\"result\":{\"tools\":[{\"name\":\"v\"}],\"cacheScope\":\"publ\\u0069c\"}}"))
                .isEqualTo("{\"result\":{\"tools\":[{\"name\":\"v\"}],\"cacheScope\":\"private\"}}");
        String already = "{\"result\":{\"tools\":[],\"cacheScope\":\"private\",\"a\":{\"cacheScope\":\"public\"}}}";
        assertThat(shown(already)).isEqualTo(already);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{\"result\":{\"tools\":[{\"name\":\"v\"}]",
                "{\"result\":{}} {\"result\":{\"tools\":[{\"name\":\"h1\"}]}}",
                "{'result':{}}",
                "/endpoint",
                "\ufeff{\"result\":{}}",
                "{\"result\":{\"tools\":[{\"name\":\"v\"},]}}",
                "\u0000"
            })
    void whatIsNotOneJsonValueIsNotShown(String json) {
        assertThat(shown(json)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16LE", "UTF-16BE", "UTF-16", "UTF-32BE", "UTF-32LE"})
    void neitherIsWhatIsNotUtf8(String charset) {
        assertThat(listing.shown(list("{\"name\":\"h1\"}").getBytes(Charset.forName(charset))))
                .isNull();
    }

    @Test
    void nestingHasABound() {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        assertThat(shown(list("{\"name\":\"v\",\"a\":" + deep + "}"))).isNull();
        String some = "[".repeat(300) + "]".repeat(300);
        assertThat(shown(list("{\"name\":\"h1\",\"a\":" + some + "}"))).isEqualTo(list(""));
    }

    @Test
    void aLongListIsCutRight() {
        StringBuilder all = new StringBuilder();
        StringBuilder left = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            boolean hidden = i % 3 == 0;
            String tool = "{\"name\":\"" + (hidden ? "h1" : "v" + i) + "\",\"description\":\""
                    + "\u00e9\ud83d\ude00".repeat(40) + "\"}";
            all.append(all.length() == 0 ? "" : ",\n").append(tool);
            if (!hidden) {
                left.append(left.length() == 0 ? "" : ",\n").append(tool);
            }
        }
        assertThat(all.length()).isGreaterThan(3_000_000);
        assertThat(shown(list(all.toString()))).isEqualTo(list(left.toString()));
    }

    /** Any list stays JSON and loses just what is hidden, however it is written. */
    @Test
    void whateverTheOrderTheRestIsTheSameTree() {
        Random random = new Random(7);
        String[] blanks = {"", " ", "\n", "\t \r\n"};
        for (int round = 0; round < 3_000; round++) {
            List<String> left = new ArrayList<>();
            StringBuilder tools = new StringBuilder();
            int count = random.nextInt(6);
            for (int i = 0; i < count; i++) {
                boolean hidden = random.nextBoolean();
                String tool = hidden && random.nextInt(4) == 0
                        ? List.of("1", "\"a\"", "[1]", "null", "-1.5e3", "false")
                                .get(random.nextInt(6))
                        : "{" + blanks[random.nextInt(4)] + "\"name\":\"" + (hidden ? "h2" : "v" + i) + "\"}";
                tools.append(i == 0 ? "" : ",")
                        .append(blanks[random.nextInt(4)])
                        .append(tool);
                tools.append(blanks[random.nextInt(4)]);
                if (!hidden) {
                    left.add("v" + i);
                }
            }
            JsonNode read = JSON.readTree(shown(list(tools.toString())));
            assertThat(read.at("/result/tools")
                            .valueStream()
                            .map(tool -> tool.path("name").asString())
                            .toList())
                    .as(tools.toString())
                    .isEqualTo(left);
            assertThat(read.at("/result/nextCursor").asString()).isEqualTo("\u00e9");
        }
    }
}
