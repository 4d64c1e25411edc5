package dev.weir.policy;

import java.util.Set;

/** The methods that can be given no tier, because being refused one of them is never a caller's own doing. */
public final class UnratedMethods {

    /** What a client has to say to be able to work at all. */
    private static final Set<String> HOUSEHOLD = Set.of(
            "initialize",
            "ping",
            "server/discover",
            "tools/list",
            "prompts/list",
            "resources/list",
            "resources/templates/list",
            "resources/subscribe",
            "resources/unsubscribe",
            "subscriptions/listen",
            "logging/setLevel");

    private static final String NOTIFICATIONS = "notifications/";
    private static final String CANCEL = "tasks/cancel";

    private UnratedMethods() {}

    /** Whether a method is part of every client's household: handshake, lists, pings and the like. */
    public static boolean contains(String method) {
        return HOUSEHOLD.contains(method) || method.startsWith(NOTIFICATIONS) || method.equals(CANCEL);
    }
}
