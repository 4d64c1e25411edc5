package dev.weir.alert;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What each format writes, and what it makes of answers. */
class FormatTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String URL = "https://hooks.example/services/x";

    /** What an agent might call a tool, so that an alert of it calls everybody, or looks like something else. */
    private static final String EVIL =
            "<!channel> <@all> @all <at id=all></at> [pay](http://evil.example) **b** `c` ~~d~~\n# e\n> f"
                    + "\u202E\u2028 \\\" \",\"x\":1 &amp; https://evil.example |";

    private static Post post(AlertFormat format, @Nullable String secret, Alert alert) {
        return format.writer().write(Samples.target(URL, format, secret), alert, Samples.TIME);
    }

    private static JsonNode body(AlertFormat format, Alert alert) {
        return JSON.readTree(post(format, null, alert).body());
    }

    private static @Nullable String secret(AlertFormat format) {
        return switch (format) {
            case JSON -> Samples.SECRET;
            case FEISHU, DINGTALK -> "SEC123";
            case SLACK, WECOM -> null;
        };
    }

    @ParameterizedTest
    @EnumSource
    void theExamplesOfTheDocumentsAreWhatIsSent(AlertFormat format) throws Exception {
        String example = Examples.after("### " + format.word(), "json");
        assertThat(JSON.readTree(post(format, secret(format), Samples.example()).body()))
                .as(() -> JSON.writerWithDefaultPrettyPrinter()
                        .writeValueAsString(JSON.readTree(
                                post(format, secret(format), Samples.example()).body())))
                .isEqualTo(JSON.readTree(example));
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfNewsCanBeWritten(AlertFormat format) {
        List<News> all = List.of(
                Samples.banned("c1"),
                BanNews.unbanned(Samples.ban("c1", null, "x"), true),
                HouseNews.policyRejected(List.of("table a, row [b]: c", "d")),
                HouseNews.policyAccepted(),
                HouseNews.breakerOpened("/mcp", "5 failures in a row", java.time.Duration.ofSeconds(30)),
                HouseNews.breakerClosed("/mcp"),
                HouseNews.databaseAway("no answer"),
                HouseNews.databaseBack(java.time.Duration.ofSeconds(30)),
                HouseNews.test());
        assertThat(all).extracting(News::event).containsExactly(AlertEvent.values());
        for (News news : all) {
            String body = post(format, null, Samples.alert(news)).body();
            assertThat(JSON.readTree(body).isObject()).isTrue();
            assertThat(body)
                    .contains(news.event().word(), news.event().severity().word(), "gw-1");
        }
    }

    private static Alert evil() {
        return Samples.alert(BanNews.banned(Samples.ban(EVIL, EVIL.repeat(200), EVIL)));
    }

    /** All texts in a body. */
    private static List<String> texts(JsonNode node) {
        return node.isString()
                ? List.of(node.asString())
                : node.values().stream().flatMap(each -> texts(each).stream()).toList();
    }

    @ParameterizedTest
    @EnumSource(names = {"FEISHU", "DINGTALK", "WECOM"})
    void callersCanCallNobodyAndMarkNothing(AlertFormat format) {
        List<String> texts = texts(body(format, evil()));
        assertThat(texts).anyMatch(text -> text.contains("＜！channel＞"));
        for (String text : texts) {
            assertThat(text).doesNotContain("<", "@", "[", "]", "(", "`", "*", "://", "\u202E", "\u2028", "\\", "&");
            // Marks at the beginning of a line are ours.
            assertThat(text.replaceAll("(?m)^(### |> )", "")).doesNotContain("#", ">");
        }
        assertThat(body(format, evil()).size())
                .isEqualTo(body(format, Samples.example()).size());
    }

    @Test
    void callersCanCallNobodyInSlack() {
        JsonNode body = body(AlertFormat.SLACK, evil());
        List<String> texts = texts(body);
        assertThat(texts).anyMatch(text -> text.contains("&lt;!channel&gt;")).noneMatch(text -> text.contains("<"));
        assertThat(body.findValuesAsString("type")).doesNotContain("mrkdwn").contains("plain_text");
        assertThat(body.path("blocks")
                        .get(0)
                        .path("text")
                        .path("text")
                        .asString()
                        .length())
                .isLessThanOrEqualTo(150);
        body.path("blocks")
                .forEach(block -> assertThat(block.path("fields").size()).isLessThanOrEqualTo(10));
    }

    @Test
    void callersChangeNothingButTheirOwnWordsInJson() {
        JsonNode body = body(AlertFormat.JSON, evil());
        assertThat(body.propertyNames())
                .containsExactlyElementsOf(
                        body(AlertFormat.JSON, Samples.example()).propertyNames());
        assertThat(body.path("fields").path("tool").asString())
                .startsWith("<!channel> <@all>")
                .hasSize(256);
        assertThat(body.path("title").asString()).doesNotContain("\n", "\u202E", "\u2028");
    }

    @Test
    void aMessageToWeComIsNeverTooLong() {
        String wide = new String(Character.toChars(0x1F600)).repeat(5_000);
        Alert alert = Samples.alert(BanNews.banned(Samples.ban(wide, wide, wide)));
        String content =
                body(AlertFormat.WECOM, alert).path("markdown").path("content").asString();
        assertThat(content.getBytes(StandardCharsets.UTF_8).length)
                .isBetween(WeComFormat.MOST_BYTES / 2, WeComFormat.MOST_BYTES);
        assertThat(content).doesNotContain("\uFFFD");
    }

    @Test
    void whatWasHeldBackIsTold() {
        Alert alert = new Alert("a1", Samples.TIME, "gw-1", Samples.banned("c1"), 7);
        assertThat(body(AlertFormat.JSON, alert).path("repeated").asInt()).isEqualTo(7);
        for (AlertFormat format : AlertFormat.values()) {
            assertThat(post(format, null, alert).body()).containsPattern("repeated\":7|held back before: 7");
        }
    }

    @Test
    void dingTalkSignsInTheAddress() {
        String example = "https://hooks.example/services/x?timestamp=1796040000000&sign=";
        Post signed = post(AlertFormat.DINGTALK, "SEC123", Samples.example());
        assertThat(signed.url().toString()).startsWith(example).matches(".*sign=[A-Za-z0-9%]+");
        AlertTarget withToken =
                Samples.target("https://hooks.example/robot/send?access_token=x", AlertFormat.DINGTALK, "SEC123");
        assertThat(withToken
                        .format()
                        .writer()
                        .write(withToken, Samples.example(), Samples.TIME)
                        .url())
                .hasToString("https://hooks.example/robot/send?access_token=x&timestamp=1796040000000&sign="
                        + signed.url().toString().substring(example.length()));
        assertThat(post(AlertFormat.DINGTALK, null, Samples.example()).url()).hasToString(URL);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SLACK    | 200 | ok                                        | DELIVERED | ''",
                "SLACK    | 404 | no_service                                | REFUSED   | answered 404: no_service",
                "SLACK    | 404 | /services/T0/B0/canary                    | REFUSED   | answered 404",
                "SLACK    | 429 | rate_limited                              | MAY_PASS  | answered 429: rate_limited",
                "FEISHU   | 200 | {\"code\":0,\"msg\":\"success\"}          | DELIVERED | ''",
                "FEISHU   | 200 | {\"StatusCode\":0,\"StatusMessage\":\"s\"} | DELIVERED | ''",
                "FEISHU   | 200 | {\"code\":19021,\"msg\":\"sign\"}         | REFUSED   | answered the code 19021: the signature is not good, or the clock is wrong by more than an hour",
                "FEISHU   | 200 | {\"code\":19024,\"msg\":\"x\"}            | REFUSED   | answered the code 19024: a word that the bot wants to see is missing",
                "FEISHU   | 400 | {\"code\":9499,\"msg\":\"too many request\"} | MAY_PASS | answered the code 9499: too often, or not now",
                "FEISHU   | 400 | {\"code\":9499,\"msg\":\"Bad Request\"}   | REFUSED   | answered the code 9499",
                "FEISHU   | 200 | {\"code\":11232,\"msg\":\"x\"}            | MAY_PASS  | answered the code 11232: too often, or not now",
                "FEISHU   | 200 | <html>log in</html>                       | REFUSED   | answered 200, but not in the words of this format",
                "FEISHU   | 502 | <html>bad gateway</html>                  | MAY_PASS  | answered 502",
                "DINGTALK | 200 | {\"errcode\":0,\"errmsg\":\"ok\"}         | DELIVERED | ''",
                "DINGTALK | 200 | {\"errcode\":130101,\"errmsg\":\"x\"}     | MAY_PASS  | answered the code 130101: too often, or not now",
                "DINGTALK | 200 | {\"errcode\":-1,\"errmsg\":\"x\"}         | MAY_PASS  | answered the code -1: too often, or not now",
                "DINGTALK | 200 | {\"errcode\":300001,\"errmsg\":\"x\"}     | REFUSED   | answered the code 300001: the address is not good",
                "DINGTALK | 200 | {\"errcode\":\"0\"}                       | REFUSED   | answered 200, but not in the words of this format",
                "WECOM    | 200 | {\"errcode\":0,\"errmsg\":\"ok\"}         | DELIVERED | ''",
                "WECOM    | 200 | {\"errcode\":45009,\"errmsg\":\"x\"}      | MAY_PASS  | answered the code 45009: too often, or not now",
                "WECOM    | 200 | {\"errcode\":93000,\"errmsg\":\"x\"}      | REFUSED   | answered the code 93000: the address is not good",
                "WECOM    | 200 | {\"errcode\":40058,\"errmsg\":\"canary\"} | REFUSED   | answered the code 40058: the message is not as it should be",
                "JSON     | 200 | whatever                                  | DELIVERED | ''",
                "JSON     | 302 | ''                                        | REFUSED   | answered 302, and redirects are not followed",
                "JSON     | 500 | canary                                    | MAY_PASS  | answered 500"
            })
    void anAnswerIsReadAsItsSenderMeansIt(
            AlertFormat format, int status, String body, Result.Kind kind, String reason) {
        assertThat(format.writer().read(new Answer(status, null, body))).isEqualTo(new Result(kind, reason, null));
    }
}
