package dev.weir.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AlertTargetTest {

    private static final String URL = "https://hooks.example/canary?key=canary";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://hooks.example/canary",
                "https://canary@hooks.example/",
                "https://u:canary@hooks.example/",
                "https://hooks.example/canary#x",
                "https:///canary",
                "hooks.example/canary",
                "https://hooks.example/can ary",
                "https://hooks.example:99999/canary",
                "canary"
            })
    void anAddressThatIsOfNoUseIsRefusedAndNotShown(String url) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.target(url, AlertFormat.JSON, null))
                .withMessageStartingWith("url must be")
                .withMessageNotContaining("canary")
                .withNoCause();
    }

    private static void refused(AlertFormat format, String secret, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.target(URL, format, secret))
                .withMessageStartingWith("secret ")
                .withMessageContaining(why)
                .withMessageNotContaining("canary");
    }

    @Test
    void aSecretHasToBeOfUse() {
        refused(AlertFormat.SLACK, "canary-canary-canary", "slack");
        refused(AlertFormat.WECOM, "canary-canary-canary", "wecom");
        refused(AlertFormat.JSON, "canary", "16");
        refused(AlertFormat.FEISHU, "canary\n", "visible");
        refused(AlertFormat.DINGTALK, "canary canary", "visible");
        Samples.target(URL, AlertFormat.FEISHU, "short");
        Samples.target(URL, AlertFormat.DINGTALK, "short");
        Samples.target(URL, AlertFormat.JSON, "canary-canary-16");
    }

    @ParameterizedTest
    @EnumSource
    void wordsOfFormatsAndEventsLeadBackToThem(AlertFormat format) {
        assertThat(AlertFormat.of(format.word())).isEqualTo(format);
    }

    @ParameterizedTest
    @EnumSource
    void wordsOfEventsLeadBackToThem(AlertEvent event) {
        assertThat(AlertEvent.of(event.word())).isEqualTo(event);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AlertEvent.of("ban"))
                .withMessageContaining(event.word())
                .withMessageContaining("[ban]");
    }

    @Test
    void whatItSaysShowsNeitherAddressNorSecret() {
        AlertTarget target = Samples.target(URL, AlertFormat.JSON, "canary-canary-canary");
        assertThat(target.toString()).isEqualTo("ops (json)");
    }

    private static boolean wants(Set<AlertEvent> events, @Nullable Set<String> routes, News news) {
        AlertTarget target =
                new AlertTarget("ops", URL, AlertFormat.SLACK, null, new AlertTarget.Wishes(events, routes));
        return target.wants(news);
    }

    @Test
    void itGetsWhatItWants() {
        News ban = Samples.banned("c1");
        News database = HouseNews.databaseAway("x");
        News opened = HouseNews.breakerOpened("/other", "x", Duration.ZERO);
        assertThat(wants(AlertEvent.USUAL, null, ban)).isTrue();
        assertThat(wants(AlertEvent.USUAL, null, database)).isTrue();
        assertThat(wants(AlertEvent.USUAL, null, BanNews.unbanned(Samples.ban("c1", null, "x"), false)))
                .isFalse();
        assertThat(wants(Set.of(AlertEvent.BANNED), null, database)).isFalse();
        assertThat(wants(AlertEvent.USUAL, Set.of("/mcp"), ban)).isTrue();
        assertThat(wants(AlertEvent.USUAL, Set.of("/mcp"), opened)).isFalse();
        assertThat(wants(AlertEvent.USUAL, Set.of("/mcp"), database)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> wants(AlertEvent.USUAL, Set.of("mcp"), ban));
    }
}
