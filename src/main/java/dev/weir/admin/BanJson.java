package dev.weir.admin;

import dev.weir.ban.Ban;
import dev.weir.ban.BanRecord;
import dev.weir.rest.Schema;
import dev.weir.rest.Segment;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How bans are shown. */
final class BanJson {

    /** The members that the list has, in the order in which files have them. */
    static final List<String> MEMBERS = List.of(
            "id",
            "state",
            "principal",
            "scope",
            "reason",
            "route",
            "tool",
            "strikes",
            "window_seconds",
            "escalation",
            "banned_by",
            "started_at",
            "expires_at",
            "lifted_at",
            "lifted_by",
            "lift_reason",
            "node",
            "secondsLeft");

    static final Schema ITEM = item("Ban");

    private static final Schema STRIKE = Schema.of("Strike")
            .member("at", Schema.time())
            .member("route", Schema.text(2_048))
            .member("tool", Schema.text(2_048).orNull())
            .member("level", Schema.text(100))
            .member(
                    "arguments",
                    Schema.text(100)
                            .orNull()
                            .meaning("the digest of what it was called with: equal ones are equal calls"));

    static final Schema WHOLE =
            item("BanWithEvidence").member("evidence", Schema.list(STRIKE).meaning("the strikes that led to it"));

    private BanJson() {}

    private static Schema item(String title) {
        Schema text = Schema.text(2_048);
        return Schema.of(title)
                .member("id", text)
                .member("state", Schema.oneOf("active", "ended", "lifted"))
                .member("principal", text)
                .member("scope", Schema.oneOf("tools", "all"))
                .member("reason", text)
                .member("route", text.orNull())
                .member("tool", text.orNull())
                .member("strikes", Schema.whole(0, Integer.MAX_VALUE))
                .member("window_seconds", Schema.whole(0, Integer.MAX_VALUE))
                .member("escalation", Schema.whole(0, Integer.MAX_VALUE))
                .member("banned_by", text.orNull())
                .member("started_at", Schema.time())
                .member("expires_at", Schema.time())
                .member("lifted_at", Schema.time().orNull())
                .member("lifted_by", text.orNull())
                .member("lift_reason", text.orNull())
                .member("node", text)
                .member("secondsLeft", Schema.whole(0, Long.MAX_VALUE).meaning("0 if it holds no more"))
                .member("self", text.meaning("its address below the API's"));
    }

    /** A ban without its evidence. */
    static Map<String, @Nullable Object> item(BanRecord record, InstantSource clock) {
        Instant now = clock.instant();
        Ban ban = record.ban();
        BanRecord.Lift lift = record.lift();
        BanRecord.State state = record.state(now);
        Map<String, @Nullable Object> item = new LinkedHashMap<>();
        item.put("id", ban.id());
        item.put("state", state.name().toLowerCase(Locale.ROOT));
        item.put("principal", ban.principal());
        item.put("scope", ban.scope().word());
        item.put("reason", ban.reason());
        item.put("route", ban.route());
        item.put("tool", ban.tool());
        item.put("strikes", ban.strikes());
        item.put("window_seconds", ban.windowSeconds());
        item.put("escalation", ban.escalation());
        item.put("banned_by", ban.bannedBy());
        item.put("started_at", Utc.text(ban.startedAt()));
        item.put("expires_at", Utc.text(ban.expiresAt()));
        item.put("lifted_at", lift == null ? null : Utc.text(lift.at()));
        item.put("lifted_by", lift == null ? null : lift.by());
        item.put("lift_reason", lift == null ? null : lift.reason());
        item.put("node", record.node());
        Duration left = state == BanRecord.State.ACTIVE ? Duration.between(now, ban.expiresAt()) : Duration.ZERO;
        item.put("secondsLeft", left.plusNanos(999_999_999).toSeconds());
        item.put("self", self(ban.id()));
        return item;
    }

    /** A ban with its evidence. */
    static Map<String, @Nullable Object> whole(BanRecord record, InstantSource clock) {
        Map<String, @Nullable Object> item = item(record, clock);
        List<Map<String, @Nullable Object>> evidence = new ArrayList<>();
        for (Ban.Evidence strike : record.ban().evidence()) {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("at", Utc.text(strike.at()));
            one.put("route", strike.route());
            one.put("tool", strike.tool());
            one.put("level", strike.level());
            one.put("arguments", strike.arguments());
            evidence.add(one);
        }
        item.put("evidence", evidence);
        return item;
    }

    /** The address of a ban below the API's. */
    static String self(String id) {
        return "/v1/bans/" + Segment.of(id);
    }
}
