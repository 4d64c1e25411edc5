package dev.weir.limit;

/** How wide a bucket is shared, from the narrowest to the widest. */
public enum Level {
    /** One principal on one tool of one route. */
    TOOL,
    /** One principal on one method of one route, other than {@code tools/call}, that has been given a tier. */
    METHOD,
    /** All that one principal sends on one route. */
    CHANNEL,
    /** All that is sent on one route. */
    ROUTE,
    /** All that is sent. */
    GLOBAL;

    /** Whether every principal has a bucket of its own at this level. */
    public boolean personal() {
        return this != ROUTE && this != GLOBAL;
    }

    /** Whether a bucket is of one tool or method: only such a one cools down, and counts calls in flight. */
    public boolean ofOneTool() {
        return this == TOOL || this == METHOD;
    }

    /** The level's name as it is written in answers, logs and rows: in small letters. */
    public String word() {
        return switch (this) {
            case TOOL -> "tool";
            case METHOD -> "method";
            case CHANNEL -> "channel";
            case ROUTE -> "route";
            case GLOBAL -> "global";
        };
    }
}
