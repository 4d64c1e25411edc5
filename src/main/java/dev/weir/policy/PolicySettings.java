package dev.weir.policy;

import dev.weir.ban.BanRule;
import dev.weir.ban.BanTerm;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** The rows of {@code setting}, each checked and laid over its static counterpart. */
final class PolicySettings {

    static final String REFUSAL_FORM = "refusal_form";
    static final String UNREGISTERED_TOOLS = "unregistered_tools";
    static final String UNLISTED_TOKENS = "unlisted_tokens";
    static final String GLOBAL_RATE = "global.requests_per_second";
    static final String GLOBAL_BURST = "global.burst";
    static final String UNPROVEN_RATE = "unproven.requests_per_second";
    static final String UNPROVEN_BURST = "unproven.burst";
    static final String CHANNEL_RATE = "channel.requests_per_second";
    static final String CHANNEL_BURST = "channel.burst";
    static final String BAN_THRESHOLD = "ban.threshold";
    static final String BAN_WINDOW = "ban.window_seconds";
    static final String BAN_DURATION = "ban.duration_seconds";
    static final String BAN_FACTOR = "ban.escalation_factor";
    static final String BAN_MAX_DURATION = "ban.max_duration_seconds";
    static final String BAN_FORGET = "ban.forget_days";
    static final String BAN_SCOPE = "ban.scope";
    static final String BAN_COUNT = "ban.count";
    static final String KEEP_THROTTLES = "retention.throttle_event_days";
    static final String KEEP_BANS = "retention.ban_days";
    static final String KEEP_EVENTS = "retention.admin_event_days";

    static final Set<String> KNOWN = Set.of(
            REFUSAL_FORM,
            UNREGISTERED_TOOLS,
            UNLISTED_TOKENS,
            GLOBAL_RATE,
            GLOBAL_BURST,
            UNPROVEN_RATE,
            UNPROVEN_BURST,
            CHANNEL_RATE,
            CHANNEL_BURST,
            BAN_THRESHOLD,
            BAN_WINDOW,
            BAN_DURATION,
            BAN_FACTOR,
            BAN_MAX_DURATION,
            BAN_FORGET,
            BAN_SCOPE,
            BAN_COUNT,
            KEEP_THROTTLES,
            KEEP_BANS,
            KEEP_EVENTS);

    private final Map<String, String> contents = new HashMap<>();
    private final Problems problems;

    private final RefusalForm refusalForm;
    private final boolean refuseUnregistered;
    private final boolean refuseUnlistedTokens;
    private final Limit unproven;
    private final Limit channel;
    private final Limit global;
    private final BanRule banRule;
    private final Retention retention;

    /** @param problems where what is wrong is added to; the value of a setting that is wrong is then of no account */
    PolicySettings(List<PolicyRows.Setting> rows, PolicyBase base, Problems problems) {
        this.problems = problems;
        for (PolicyRows.Setting row : rows) {
            contents.put(row.name(), row.content().strip());
            if (!KNOWN.contains(row.name())) {
                problems.add("setting", row.name(), "there is no setting of this name");
            }
        }
        this.refusalForm = checked(REFUSAL_FORM, RefusalForm.AUTO, () -> RefusalForm.of(text(REFUSAL_FORM, "auto")));
        this.refuseUnregistered =
                checked(UNREGISTERED_TOOLS, false, () -> either(UNREGISTERED_TOOLS, "standard", "refuse"));
        this.refuseUnlistedTokens = checked(UNLISTED_TOKENS, true, () -> either(UNLISTED_TOKENS, "allow", "refuse"));
        Limit guesses = Limit.of(10, 20);
        this.unproven = checked(UNPROVEN_RATE, guesses, () -> limit(UNPROVEN_RATE, UNPROVEN_BURST, guesses));
        this.channel = checked(CHANNEL_RATE, base.channel(), () -> limit(CHANNEL_RATE, CHANNEL_BURST, base.channel()));
        this.global = checked(GLOBAL_RATE, base.global(), () -> limit(GLOBAL_RATE, GLOBAL_BURST, base.global()));
        BanTerm term = new BanTerm(Duration.ofMinutes(15), 2, Duration.ofDays(1), Duration.ofDays(7));
        BanRule standard = new BanRule(5, Duration.ofSeconds(10), term, BanRule.Scope.TOOLS, BanRule.Count.INFORMED);
        this.banRule = checked("ban.*", standard, () -> banRule(standard));
        Retention usual = new Retention(Duration.ofDays(30), Duration.ofDays(365), Duration.ofDays(365));
        this.retention = checked("retention.*", usual, () -> retention(usual));
    }

    RefusalForm refusalForm() {
        return refusalForm;
    }

    boolean refuseUnregistered() {
        return refuseUnregistered;
    }

    boolean refuseUnlistedTokens() {
        return refuseUnlistedTokens;
    }

    /** What an address gets whose callers have proven nothing. */
    Limit unproven() {
        return unproven;
    }

    Limit channel() {
        return channel;
    }

    Limit global() {
        return global;
    }

    BanRule banRule() {
        return banRule;
    }

    Retention retention() {
        return retention;
    }

    private Retention retention(Retention usual) {
        return new Retention(
                Duration.ofDays(whole(KEEP_THROTTLES, usual.throttles().toDays())),
                Duration.ofDays(whole(KEEP_BANS, usual.bans().toDays())),
                Duration.ofDays(whole(KEEP_EVENTS, usual.events().toDays())));
    }

    private BanRule banRule(BanRule standard) {
        BanTerm term = standard.term();
        return new BanRule(
                (int) whole(BAN_THRESHOLD, standard.threshold()),
                Duration.ofSeconds(whole(BAN_WINDOW, standard.window().toSeconds())),
                new BanTerm(
                        Duration.ofSeconds(whole(BAN_DURATION, term.first().toSeconds())),
                        decimal(BAN_FACTOR, term.factor()),
                        Duration.ofSeconds(
                                whole(BAN_MAX_DURATION, term.longest().toSeconds())),
                        Duration.ofDays(whole(BAN_FORGET, term.forget().toDays()))),
                either(BAN_SCOPE, "tools", "all") ? BanRule.Scope.ALL : BanRule.Scope.TOOLS,
                either(BAN_COUNT, "informed", "every") ? BanRule.Count.EVERY : BanRule.Count.INFORMED);
    }

    private Limit limit(String rateName, String burstName, Limit standard) {
        return Limit.of(decimal(rateName, standard.ratePerSecond()), whole(burstName, standard.capacity()));
    }

    private double decimal(String name, double standard) {
        String content = contents.get(name);
        if (content == null) {
            return standard;
        }
        try {
            return Double.parseDouble(content);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a number, not [" + content + "]", e);
        }
    }

    private long whole(String name, long standard) {
        String content = contents.get(name);
        if (content == null) {
            return standard;
        }
        try {
            return Integer.parseInt(content);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a whole number, not [" + content + "]", e);
        }
    }

    /** Whether a setting is the second of the two words that it may be; the first is its default. */
    private boolean either(String name, String first, String second) {
        String content = text(name, first);
        if (!content.equals(first) && !content.equals(second)) {
            throw new IllegalArgumentException(
                    name + " must be " + first + " or " + second + ", not [" + content + "]");
        }
        return content.equals(second);
    }

    private String text(String name, String standard) {
        return contents.getOrDefault(name, standard);
    }

    private <T> T checked(String row, T standard, Supplier<T> step) {
        T value = problems.check("setting", row, step);
        return value == null ? standard : value;
    }
}
