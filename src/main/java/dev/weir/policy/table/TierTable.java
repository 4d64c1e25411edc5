package dev.weir.policy.table;

import java.util.List;

/** Table {@code tool_tier}. */
final class TierTable {

    static final Table TABLE = Table.of(
                    "tool_tier",
                    "tiers",
                    "Tiers",
                    "A tier is a named limit: how often one client may call one tool. Tools say which tier they are in.",
                    List.of(
                            Column.key(
                                    "name",
                                    Values.name(64),
                                    "What tools call the tier. Tools without a row are in the tier standard."),
                            Column.needed(
                                            "rate_per_second",
                                            Values.number(0, LimitRules.MAX_RATE),
                                            "Calls that come back in a second, for each client and tool; may be a fraction. 0 blocks.",
                                            "Holds from the next call on, for all tools of the tier. Nobody's tokens are taken away or given back.")
                                    .in("calls/s"),
                            Column.needed(
                                            "burst",
                                            Values.whole(0, Values.GREATEST),
                                            "Calls that a client may make at once after a pause: the most that can be saved up.",
                                            "Buckets keep the tokens that they have, cut to the new burst; a larger one fills up at the rate.")
                                    .in("calls"),
                            Column.with(
                                            0L,
                                            "cooldown_seconds",
                                            Values.whole(0, Integer.MAX_VALUE),
                                            "How long a client stays shut out of the tool once it has run out of tokens. 0: only until there is a token.",
                                            "Holds for refusals from now on; a cool-down that is running ends when it was going to.")
                                    .in("s"),
                            Column.with(
                                            0L,
                                            "max_concurrent",
                                            Values.whole(0, Integer.MAX_VALUE),
                                            "Calls that one client may have in flight on one tool. 0: any number.",
                                            "Holds for new calls; those in flight go on.")
                                    .in("calls"),
                            Column.with(
                                            0L,
                                            "max_wait_ms",
                                            Values.whole(0, 60_000),
                                            "How long a call may wait for its token instead of being refused. 0: not at all.",
                                            "Holds for new calls. Calls that wait keep their agents waiting.")
                                    .in("ms"),
                            Column.with(
                                    "enforce",
                                    "mode",
                                    Values.oneOf("enforce", "shadow", "off"),
                                    "enforce: what is too much is refused. shadow: it is only counted, as would_throttle. off: nothing is counted.",
                                    "With shadow and off nobody is refused by this tier, and so nobody is banned for it.")))
            .under(LimitRules.of("tool_tier"));

    private TierTable() {}
}
