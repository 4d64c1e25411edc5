package dev.weir.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.policy.table.Setting;
import dev.weir.policy.table.Settings;
import dev.weir.policy.table.Values;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What operators are shown of settings is what the policy makes of them. */
class SettingValuesTest {

    private static final PolicyBase BASE = new PolicyBase(true, Limit.of(100, 50), Limit.of(1_000, 2_000), null);

    /** What another setting has to be, so that the values of one at its limits can be tried by themselves. */
    private static final Map<String, Map<String, String>> TOGETHER = Map.of(
            "ban.duration_seconds", Map.of("ban.max_duration_seconds", "315360000"),
            "ban.max_duration_seconds", Map.of("ban.duration_seconds", "1"),
            "channel.burst", Map.of("channel.requests_per_second", "0"),
            "global.burst", Map.of("global.requests_per_second", "0"),
            "unproven.burst", Map.of("unproven.requests_per_second", "0"));

    private static Policy compile(Map<String, String> settings) throws PolicyRejectedException {
        List<PolicyRows.Setting> rows = new ArrayList<>();
        settings.forEach((name, content) -> rows.add(new PolicyRows.Setting(name, content)));
        return Policy.compile(
                new PolicyRows(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), rows), BASE);
    }

    private static boolean compiles(Setting setting, String content) {
        Map<String, String> settings = new HashMap<>(TOGETHER.getOrDefault(setting.name(), Map.of()));
        settings.put(setting.name(), content);
        try {
            var unused = compile(settings);
            return true;
        } catch (PolicyRejectedException e) {
            return false;
        }
    }

    @Test
    void everySettingThatIsKnownIsDescribedAndNoOther() throws Exception {
        assertThat(Settings.ALL.stream().map(Setting::name)).containsExactlyInAnyOrderElementsOf(PolicySettings.KNOWN);
        assertThat(SettingValues.standards(BASE)).containsOnlyKeys(PolicySettings.KNOWN);
        assertThat(compile(Map.of()).settings()).isEqualTo(SettingValues.standards(BASE));
    }

    @Test
    void whatIsDescribedAsPossibleIsTakenAndIsWhatHoldsThen() throws Exception {
        for (Setting setting : Settings.ALL) {
            for (String content : extremes(setting.values())) {
                assertThat(setting.fault(content))
                        .as("%s = %s", setting.name(), content)
                        .isNull();
                Map<String, String> settings = new HashMap<>(TOGETHER.getOrDefault(setting.name(), Map.of()));
                settings.put(setting.name(), content);
                assertThat(compile(settings).settings())
                        .as("%s = %s", setting.name(), content)
                        .containsEntry(setting.name(), content);
            }
        }
    }

    @Test
    void whatIsNotIsNotTaken() {
        for (Setting setting : Settings.ALL) {
            List<String> wrong = new ArrayList<>(List.of("", "x", "1 2", "\u0661", "0x10"));
            Values values = setting.values();
            if (values.words().isEmpty()) {
                wrong.add(Objects.requireNonNull(values.least())
                        .subtract(BigDecimal.ONE)
                        .toString());
                wrong.add(Objects.requireNonNull(values.most())
                        .add(BigDecimal.ONE)
                        .toString());
                wrong.add("NaN");
            }
            for (String content : wrong) {
                assertThat(setting.fault(content))
                        .as("%s = %s", setting.name(), content)
                        .isNotNull();
                // Integers are read in the digits of any script, which does no harm.
                assertThat(compiles(setting, content) && !content.equals("\u0661"))
                        .as("%s = %s", setting.name(), content)
                        .isFalse();
            }
        }
    }

    @Test
    void theStandardsAreThoseOfTheDocuments() {
        assertThat(SettingValues.standards(BASE))
                .containsEntry("refusal_form", "auto")
                .containsEntry("unregistered_tools", "standard")
                .containsEntry("unlisted_tokens", "allow")
                .containsEntry("channel.requests_per_second", "100")
                .containsEntry("channel.burst", "50")
                .containsEntry("unproven.requests_per_second", "10")
                .containsEntry("unproven.burst", "20")
                .containsEntry("global.requests_per_second", "1000")
                .containsEntry("global.burst", "2000")
                .containsEntry("ban.threshold", "5")
                .containsEntry("ban.window_seconds", "10")
                .containsEntry("ban.duration_seconds", "900")
                .containsEntry("ban.escalation_factor", "2")
                .containsEntry("ban.max_duration_seconds", "86400")
                .containsEntry("ban.forget_days", "7")
                .containsEntry("ban.scope", "tools")
                .containsEntry("ban.count", "informed")
                .containsEntry("retention.throttle_event_days", "30")
                .containsEntry("retention.ban_days", "365");
    }

    private static List<String> extremes(Values values) {
        return values.words().isEmpty()
                ? List.of(
                        Objects.requireNonNull(values.least()).toString(),
                        Objects.requireNonNull(values.most()).toString())
                : values.words();
    }
}
