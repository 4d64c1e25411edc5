package dev.weir.policy.table;

import java.util.List;

/** The columns of table {@code route} on the way to the upstream and back. */
final class RouteWay {

    private static final int DAY_MS = 86_400_000;
    private static final String NEW_CALLS = "Holds for calls that begin from now on.";

    private RouteWay() {}

    static List<Column> columns() {
        return List.of(
                Column.with(
                        "unified",
                        "error_mode",
                        Values.oneOf("unified", "mask_5xx", "pass"),
                        "On routes of kind http: unified replaces the bodies of all 4xx and 5xx, mask_5xx those of 5xx, pass none.",
                        "With pass, clients see the server's own error pages, and what they give away."),
                Column.with(
                        true,
                        "strip_prefix",
                        Values.flag(),
                        "Whether the prefix is taken off the path before it goes up.",
                        "The server sees other paths from now on."),
                Column.with(
                        false,
                        "preserve_host",
                        Values.flag(),
                        "On routes of kind http: whether the server sees the Host that the client named, and not its own.",
                        "The server may answer for another of its sites."),
                Column.maybe(
                        "tls",
                        Values.name(64),
                        "The name of a trust store or certificate in the settings (mcp.upstream-tls.NAME). Nothing: the machine's trust.",
                        "Connections that are made from now on trust, and show, what that names."),
                time(
                        "connect_timeout_ms",
                        3_000,
                        1,
                        60_000,
                        "How long finding the server's address may take, and again connecting to it.",
                        "Shorter: a dead target is left sooner. All routes together may have 32 different pairs of this and tls."),
                time(
                        "first_byte_timeout_ms",
                        60_000,
                        1,
                        DAY_MS,
                        "How long the beginning of an answer may take.",
                        "Shorter: slow tools are answered 504, although they may have run."),
                time(
                        "idle_timeout_ms",
                        600_000,
                        1,
                        DAY_MS,
                        "How long an answer that has begun may stand still.",
                        "Shorter: quiet streams of events are cut sooner; clients connect again."),
                time(
                        "total_timeout_ms",
                        0,
                        0,
                        DAY_MS,
                        "How long a call may take in all; never a stream of events. 0: any time.",
                        NEW_CALLS),
                Column.with(
                                1_024L,
                                "max_connections",
                                Values.whole(1, 65_536),
                                "Connections to one target for calls that are no streams.",
                                NEW_CALLS)
                        .in("connections"),
                Column.with(
                                1_024L,
                                "max_queued",
                                Values.whole(0, 65_536),
                                "Calls that wait for a connection; those beyond are answered 503.",
                                NEW_CALLS)
                        .in("calls"),
                Column.with(
                                0L,
                                "max_body_bytes",
                                Values.whole(0, Values.GREATEST),
                                "On routes of kind http: the largest request body, else 413. 0: any.",
                                "Holds for requests that begin from now on.")
                        .in("bytes"));
    }

    private static Column time(String name, long standard, long least, long most, String meaning, String effect) {
        return Column.with(standard, name, Values.whole(least, most), meaning, effect)
                .in("ms");
    }
}
