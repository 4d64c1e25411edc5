package dev.weir.policy;

import dev.weir.ban.BanRule;
import dev.weir.limit.Limit;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The settings that rows may set, written as rows would. */
public final class SettingValues {

    private SettingValues() {}

    /** What stands where no row does. */
    public static Map<String, String> standards(PolicyBase base) {
        return of(new PolicySettings(List.of(), base, new Problems()));
    }

    static Map<String, String> of(PolicySettings settings) {
        Map<String, String> values = new TreeMap<>();
        values.put(PolicySettings.REFUSAL_FORM, settings.refusalForm().word());
        values.put(PolicySettings.UNREGISTERED_TOOLS, settings.refuseUnregistered() ? "refuse" : "standard");
        values.put(PolicySettings.UNLISTED_TOKENS, settings.refuseUnlistedTokens() ? "refuse" : "allow");
        put(values, PolicySettings.GLOBAL_RATE, PolicySettings.GLOBAL_BURST, settings.global());
        put(values, PolicySettings.UNPROVEN_RATE, PolicySettings.UNPROVEN_BURST, settings.unproven());
        put(values, PolicySettings.CHANNEL_RATE, PolicySettings.CHANNEL_BURST, settings.channel());
        BanRule rule = settings.banRule();
        values.put(PolicySettings.BAN_THRESHOLD, whole(rule.threshold()));
        values.put(PolicySettings.BAN_WINDOW, whole(rule.window().toSeconds()));
        values.put(PolicySettings.BAN_DURATION, whole(rule.term().first().toSeconds()));
        values.put(PolicySettings.BAN_FACTOR, decimal(rule.term().factor()));
        values.put(PolicySettings.BAN_MAX_DURATION, whole(rule.term().longest().toSeconds()));
        values.put(PolicySettings.BAN_FORGET, whole(rule.term().forget().toDays()));
        values.put(PolicySettings.BAN_SCOPE, rule.scope().word());
        values.put(PolicySettings.BAN_COUNT, rule.count() == BanRule.Count.EVERY ? "every" : "informed");
        values.put(
                PolicySettings.KEEP_THROTTLES,
                whole(settings.retention().throttles().toDays()));
        values.put(PolicySettings.KEEP_BANS, whole(settings.retention().bans().toDays()));
        values.put(
                PolicySettings.KEEP_EVENTS, whole(settings.retention().events().toDays()));
        return Map.copyOf(values);
    }

    private static void put(Map<String, String> values, String rate, String burst, Limit limit) {
        values.put(rate, decimal(limit.ratePerSecond()));
        values.put(burst, whole(limit.capacity()));
    }

    private static String whole(long number) {
        return Long.toString(number);
    }

    private static String decimal(double number) {
        BigDecimal exact = BigDecimal.valueOf(number);
        return exact.signum() == 0 ? "0" : exact.stripTrailingZeros().toPlainString();
    }
}
