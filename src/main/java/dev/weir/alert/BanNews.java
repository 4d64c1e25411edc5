package dev.weir.alert;

import dev.weir.ban.Ban;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** News of bans. */
public final class BanNews {

    private BanNews() {}

    /** A ban has begun. */
    public static News banned(Ban ban) {
        String until = time(ban.expiresAt());
        return new News(
                AlertEvent.BANNED,
                ban.principal(),
                ban.route(),
                ban.principal() + " is banned",
                ban.principal() + " is banned until " + until + ": " + ban.reason(),
                fields(ban));
    }

    /**
     * A ban holds no more.
     *
     * @param lifted whether it had time left
     */
    public static News unbanned(Ban ban, boolean lifted) {
        Map<String, Object> fields = fields(ban);
        fields.put("how", lifted ? "lifted" : "ended");
        return new News(
                AlertEvent.UNBANNED,
                ban.principal(),
                ban.route(),
                ban.principal() + " is banned no more",
                "The ban of " + ban.principal() + (lifted ? " was lifted: " : " has ended: ") + ban.reason(),
                fields);
    }

    private static Map<String, Object> fields(Ban ban) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("ban_id", ban.id());
        fields.put("principal", ban.principal());
        fields.put("scope", ban.scope().word());
        if (ban.route() != null) {
            fields.put("route", ban.route());
        }
        if (ban.tool() != null) {
            fields.put("tool", ban.tool());
        }
        fields.put("reason", ban.reason());
        fields.put("strikes", ban.strikes());
        fields.put("escalation", ban.escalation());
        fields.put("started_at", time(ban.startedAt()));
        fields.put("expires_at", time(ban.expiresAt()));
        return fields;
    }

    private static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MILLIS).toString();
    }
}
