package dev.weir.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.alert.AlertEvent;
import dev.weir.alert.AlertTarget;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Receivers of alerts as the settings name them; what is wrong stops the start with one line that shows no address and no secret. */
class AlertSettingsTest {

    private static final String URL = "https://hooks.example/canary";
    private static final String SECRET = "canary-canary-canary";

    private static Settings load(List<String> settings) {
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < settings.size(); i += 2) {
            all.put(settings.get(i), settings.get(i + 1));
        }
        return new SettingsLoader(Map.of(), Map.of(), warning -> {}).load(null, all);
    }

    private static List<AlertTarget> targets(String... settings) {
        return AlertSettings.targets(load(List.of(settings)).alert());
    }

    private static void refused(String begin, String... settings) {
        assertThatThrownBy(() -> load(List.of(settings)))
                .isInstanceOf(SettingsException.class)
                .hasNoCause()
                .hasMessageStartingWith(begin)
                .hasMessageNotContainingAny("canary", "\n");
    }

    @Test
    void thereAreNoneWithoutSettings() {
        assertThat(targets()).isEmpty();
    }

    @Test
    void oneHasNoOtherNameAndTheOthersHave() {
        List<AlertTarget> targets = targets(
                "mcp.alert.webhook-url",
                URL,
                "mcp.alert.webhook-secret",
                SECRET,
                "mcp.alert.targets.oncall.url",
                URL,
                "mcp.alert.targets.oncall.format",
                "slack",
                "mcp.alert.targets.oncall.events",
                "banned,unbanned",
                "mcp.alert.targets.audit.url",
                URL);
        assertThat(targets).hasToString("[webhook (json), audit (json), oncall (slack)]");
        assertThat(targets.get(0).wants(AlertEvent.UNBANNED)).isFalse();
        assertThat(targets.get(2).wants(AlertEvent.UNBANNED)).isTrue();
        assertThat(targets.get(2).wants(AlertEvent.DATABASE_AWAY)).isFalse();
    }

    @Test
    void variablesNameThemToo() {
        Map<String, String> env = Map.of(
                "MCP_ALERT_WEBHOOK_URL",
                URL,
                "MCP_ALERT_TARGETS_ON_CALL_URL",
                URL,
                "MCP_ALERT_TARGETS_ON_CALL_FORMAT",
                "wecom");
        Settings settings = new SettingsLoader(env, Map.of(), warning -> {}).load(null, Map.of());
        assertThat(AlertSettings.targets(settings.alert()).toString()).contains("webhook (json)", "(wecom)");
    }

    @Test
    void whatIsOfNoUseIsNamed() {
        String name = "mcp.alert.targets.ops.";
        refused("mcp.alert.webhook-url must be", "mcp.alert.webhook-url", "canary");
        refused("mcp.alert.webhook-url must be", "mcp.alert.webhook-url", "https://u:canary@hooks.example/");
        refused(
                "mcp.alert.webhook-secret must have at least 16",
                "mcp.alert.webhook-url",
                URL,
                "mcp.alert.webhook-secret",
                "canary");
        refused("mcp.alert.webhook-secret is of no use", "mcp.alert.webhook-secret", SECRET);
        refused(name + "url must be", name + "url", "ftp://hooks.example/canary");
        refused(name + "format must be of json", name + "url", URL, name + "format", "teams");
        refused(name + "events must be of banned", name + "url", URL, name + "events", "banned,ban");
        refused(name + "routes must begin", name + "url", URL, name + "routes", "mcp");
        refused(name + "secret is of no use", name + "url", URL, name + "format", "wecom", name + "secret", SECRET);
        refused(
                "mcp.alert.targets.webhook is the name",
                "mcp.alert.webhook-url",
                URL,
                "mcp.alert.targets.webhook.url",
                URL);
    }

    @Test
    void thereAreNotTooMany() {
        List<String> settings = new ArrayList<>();
        for (int i = 0; i < AlertSettings.MOST; i++) {
            Collections.addAll(settings, "mcp.alert.targets.t" + i + ".url", URL);
        }
        assertThat(AlertSettings.targets(load(settings).alert())).hasSize(AlertSettings.MOST);
        Collections.addAll(settings, "mcp.alert.webhook-url", URL);
        refused("mcp.alert.targets.… must be 32 at most", settings.toArray(String[]::new));
    }
}
