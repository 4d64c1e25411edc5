package dev.weir.policy.table;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All that rows of {@code setting} may set. */
public final class Settings {

    private static final String NEXT_CALL =
            "Holds from the next request on, for all who have no narrower limit of their own.";
    private static final long YEARS = 3_650;
    private static final long YEARS_SECONDS = YEARS * 86_400;

    /** In the order in which people meet them. */
    public static final List<Setting> ALL = Stream.of(calls(), limits(), bans(), history())
            .flatMap(List::stream)
            .toList();

    private Settings() {}

    /** The setting of a name; null if there is none. */
    public static @Nullable Setting named(String name) {
        return ALL.stream()
                .filter(setting -> setting.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static List<Setting> calls() {
        return List.of(
                new Setting(
                        "refusal_form",
                        Values.oneOf("auto", "jsonrpc_error", "tool_result", "http_429"),
                        "",
                        "How agents are told that they are refused, on routes that do not say it themselves.",
                        "Agents see refusals in the new form from the next one on."),
                new Setting(
                        "unregistered_tools",
                        Values.oneOf("standard", "refuse"),
                        "",
                        "Tools without a row: standard limits them together by the tier standard, refuse lets nobody call them.",
                        "With refuse, every tool that has no row is shut from the next call on."),
                new Setting(
                        "unlisted_tokens",
                        Values.oneOf("allow", "refuse"),
                        "",
                        "Good OAuth tokens that are no listed client's: allow lets them call, refuse answers 403.",
                        "With refuse, callers with such tokens are shut out from the next request on."));
    }

    private static List<Setting> limits() {
        return List.of(
                rate(
                        "channel",
                        "Requests that come back in a second for one client on one route, all tools together.",
                        NEXT_CALL),
                burst("channel", "Requests that one client may send at once on one route.", NEXT_CALL),
                rate(
                        "global",
                        "Requests that come back in a second for everything together.",
                        "Holds from the next request on. Too low, and clients refuse each other's calls."),
                burst(
                        "global",
                        "Requests that may come at once, everything together.",
                        "Holds from the next request on. Too low, and clients refuse each other's calls."),
                rate(
                        "unproven",
                        "Requests that come back in a second for all callers at one address that have no good credential.",
                        "Higher: credentials can be guessed faster. Lower: many new tokens at one address wait longer."),
                burst(
                        "unproven",
                        "Requests that such callers at one address may send at once.",
                        "Higher: more guesses at once. Lower: many new tokens at one address wait longer."));
    }

    private static List<Setting> bans() {
        return List.of(
                new Setting(
                        "ban.threshold",
                        Values.whole(0, 1_000),
                        "strikes",
                        "Strikes inside the window that are still borne; one more is a ban.",
                        "Holds from the next strike on; bans that are running stay as they are."),
                seconds(
                        "ban.window_seconds",
                        86_400,
                        "How far back strikes count.",
                        "Longer: slower loops are banned too."),
                seconds(
                        "ban.duration_seconds",
                        YEARS_SECONDS,
                        "How long a first ban lasts.",
                        "Holds for bans that begin from now on."),
                new Setting(
                        "ban.escalation_factor",
                        Values.number(1, 10),
                        "times",
                        "How many times as long as the one before the next ban of a client lasts.",
                        "Holds for bans that begin from now on. 1: all last equally long."),
                seconds(
                        "ban.max_duration_seconds",
                        YEARS_SECONDS,
                        "The longest that a ban gets; not below ban.duration_seconds.",
                        "Holds for bans that begin from now on."),
                days(
                        "ban.forget_days",
                        "Quiet days after which a ban makes the next one no longer. 0: no ban ever does.",
                        "Holds for bans that begin from now on."),
                new Setting(
                        "ban.scope",
                        Values.oneOf("tools", "all"),
                        "",
                        "What a ban for strikes shuts: calls of tools, or everything.",
                        "Holds for bans that begin from now on."),
                new Setting(
                        "ban.count",
                        Values.oneOf("informed", "every"),
                        "",
                        "Which throttles are strikes: informed counts those that reading the answer before could have avoided, every counts all.",
                        "With every, agents that call in parallel are banned sooner."));
    }

    private static List<Setting> history() {
        return List.of(
                days(
                        "retention.throttle_event_days",
                        "How long the history of throttles is kept. 0: for ever.",
                        "What is older is deleted in the background, and does not come back."),
                days(
                        "retention.ban_days",
                        "How long a ban is kept after its end. 0: for ever.",
                        "What is older is deleted in the background, and does not come back."),
                days(
                        "retention.admin_event_days",
                        "How long it is kept who has changed what. 0: for ever.",
                        "What is older is deleted in the background, and does not come back."));
    }

    private static Setting rate(String whose, String meaning, String effect) {
        return new Setting(
                whose + ".requests_per_second",
                Values.number(0, LimitRules.MAX_RATE),
                "requests/s",
                meaning + " 0 blocks.",
                effect);
    }

    private static Setting burst(String whose, String meaning, String effect) {
        return new Setting(whose + ".burst", Values.whole(0, Integer.MAX_VALUE), "requests", meaning, effect);
    }

    private static Setting seconds(String name, long most, String meaning, String effect) {
        return new Setting(name, Values.whole(1, most), "s", meaning, effect);
    }

    private static Setting days(String name, String meaning, String effect) {
        return new Setting(name, Values.whole(0, YEARS), "days", meaning, effect);
    }
}
