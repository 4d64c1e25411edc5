package dev.weir.alert;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** News of Weir itself: its policy, its circuit breakers, its database. */
public final class HouseNews {

    private static final String POLICY = "policy";
    private static final String DATABASE = "database";

    private HouseNews() {}

    /**
     * The rows in the tables make no policy.
     *
     * @param problems why not: at least one, each as one line that names table, row and rule
     */
    public static News policyRejected(List<String> problems) {
        int more = problems.size() - 1;
        return new News(
                AlertEvent.POLICY_REJECTED,
                POLICY + " " + problems.hashCode(),
                null,
                "The policy is rejected",
                "The rows in the tables make no policy, and the last good one stays in force: " + problems.get(0)
                        + (more == 0 ? "" : " and " + more + " more"),
                Map.of("problems", problems));
    }

    /** The rows make a policy again. */
    public static News policyAccepted() {
        return new News(
                AlertEvent.POLICY_ACCEPTED,
                POLICY,
                null,
                "The policy is accepted again",
                "The rows in the tables make a policy again, and it is in force.",
                Map.of());
    }

    /**
     * A circuit has opened.
     *
     * @param why  the last failure, and how many there were
     * @param rest how long nothing is let through
     */
    public static News breakerOpened(String route, String why, Duration rest) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("route", route);
        fields.put("why", why);
        fields.put("open_seconds", rest.toSeconds());
        return new News(
                AlertEvent.BREAKER_OPENED,
                route,
                route,
                "The circuit of " + route + " is open",
                "Calls to " + route + " are answered 503 for " + rest.toSeconds() + " s at least: " + why,
                fields);
    }

    /** A circuit has closed again. */
    public static News breakerClosed(String route) {
        return new News(
                AlertEvent.BREAKER_CLOSED,
                route,
                route,
                "The circuit of " + route + " is closed again",
                "The upstream of " + route + " has answered its probes well, and calls go through again.",
                Map.of("route", route));
    }

    /** The database does not do all that is asked of it. */
    public static News databaseAway(String reason) {
        return new News(
                AlertEvent.DATABASE_AWAY,
                DATABASE,
                null,
                "The database is away",
                "Limits, bans and policy go on from memory; what is to be written waits: " + reason,
                Map.of("reason", reason));
    }

    /** It does again. */
    public static News databaseBack(Duration away) {
        return new News(
                AlertEvent.DATABASE_BACK,
                DATABASE,
                null,
                "The database is back",
                "The database is back after " + away.toSeconds() + " s, and what waited for it is being written.",
                Map.of("away_seconds", away.toSeconds()));
    }

    /** Somebody tries whether alerts arrive. */
    public static News test() {
        return new News(
                AlertEvent.TEST,
                "test",
                null,
                "This is a test",
                "Somebody has tried whether the alerts of this Weir arrive here. They do.",
                Map.of());
    }
}
