package dev.weir.web;

import dev.weir.gate.Verdict;
import java.time.Duration;

/** The sentences a refused agent is told. The wait always stands in them, because most hosts show their model nothing else. */
final class RefusalWords {

    private static final long NANOS_PER_TENTH = 100_000_000;

    /** The limit of callers that have yet to prove who they are. */
    private static final String UNPROVEN = "unproven";

    private RefusalWords() {}

    static String of(Verdict.Throttle throttle) {
        String wait = throttle.waitNanos() == Verdict.NEVER
                ? "No call is admitted here until an operator changes the limit."
                : throttle.cooling()
                        ? "Cooling down for " + roundedUp(throttle.waitNanos()) + "."
                        : "Retry in " + roundedUp(throttle.waitNanos()) + ".";
        return switch (throttle.level()) {
            case "tool" ->
                "Tool [" + throttle.tool() + "] rate limit exceeded. " + wait + " Please review your reasoning loop.";
            case "method" ->
                "Method [" + throttle.tool() + "] rate limit exceeded. " + wait + " Please review your reasoning loop.";
            case "concurrency" ->
                throttle.quota().policy().equals(UNPROVEN)
                        ? "Too many credentials from your address wait to be checked. Try again in a second."
                        : "[" + throttle.tool() + "] is running for you already, as often at a time as it may ("
                                + throttle.quota().maxConcurrent()
                                + "). Wait until a call has ended before you call it again. Please review your reasoning loop.";
            case "channel" ->
                "Request rate limit exceeded on [" + throttle.route() + "]. " + wait
                        + " Please review your reasoning loop.";
            default -> "The gateway is busy: the limit of all callers together is reached. " + wait;
        };
    }

    /** @param remainingMillis the time until the ban ends */
    static String of(Verdict.Shut shut, long remainingMillis) {
        String from = shut.all() ? "" : " from tool calls";
        return "Client is banned" + from + " for another " + roundedUp(Duration.ofMillis(remainingMillis)) + " "
                + shut.reason() + ". Stop calling tools and report this to your operator.";
    }

    static String of(Verdict.Forbid forbid) {
        return forbid.tool() == null
                ? "Route [" + forbid.route() + "] " + forbid.why() + "."
                : "Tool [" + forbid.tool() + "] " + forbid.why() + ". Use one of the tools that are listed.";
    }

    /** A time that is never shorter than the true one: whoever waits it out is not refused again because of rounding. */
    static String roundedUp(long nanos) {
        long tenths = Math.max(1, (nanos + NANOS_PER_TENTH - 1) / NANOS_PER_TENTH);
        if (tenths >= 600) {
            return roundedUp(Duration.ofMillis(tenths * 100));
        }
        return tenths % 10 == 0 ? tenths / 10 + "s" : tenths / 10 + "." + tenths % 10 + "s";
    }

    private static String roundedUp(Duration time) {
        long seconds = Math.max(1, time.plusMillis(999).toSeconds());
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3_600) {
            return seconds / 60 + "m " + seconds % 60 + "s";
        }
        long minutes = (seconds + 59) / 60;
        return minutes / 60 + "h " + minutes % 60 + "m";
    }
}
