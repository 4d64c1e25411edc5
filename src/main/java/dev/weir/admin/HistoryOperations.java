package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.ban.ThrottleArchive;
import dev.weir.ban.ThrottleEvent;
import dev.weir.ban.ThrottleRecord;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Operation;
import dev.weir.rest.Parameter;
import dev.weir.rest.Problem;
import dev.weir.rest.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looking at the history of throttles: its rows, and what they sum up to. */
public final class HistoryOperations {

    private static final List<String> MEMBERS =
            List.of("id", "happened_at", "principal", "route", "tool", "level", "decision", "calls", "node");

    private static final Schema NAME = Schema.text(2_048);

    private static final Schema ITEM = Schema.of("Throttle")
            .member("id", Schema.whole(0, Long.MAX_VALUE))
            .member("happened_at", Schema.time().meaning("the second, or under a flood the minute, of the calls"))
            .member("principal", NAME)
            .member("route", NAME.meaning("empty if the path belongs to none"))
            .member("tool", NAME.meaning("the tool, or the method that has a limit of its own, or empty"))
            .member("level", NAME)
            .member("decision", Schema.oneOf("throttled", "would_throttle"))
            .member("calls", Schema.whole(1, Long.MAX_VALUE))
            .member("node", NAME);

    private static final Schema SUMS = Schema.of("Sums")
            .member(
                    "items",
                    Schema.list(Schema.of("Sum")
                            .maybe("principal", NAME)
                            .maybe("route", NAME)
                            .maybe("tool", NAME)
                            .maybe("level", NAME)
                            .maybe("at", Schema.time().meaning("the beginning of the step"))
                            .member("calls", Schema.whole(1, Long.MAX_VALUE))));

    private static final List<Parameter> FILTERS = List.of(
            Parameter.query("principal", NAME, "who called"),
            Parameter.query("route", NAME, "the route that was called"),
            Parameter.query("tool", NAME, "the tool, or the method that has a limit of its own"),
            Parameter.query(
                    "level",
                    Schema.oneOf("tool", "method", "concurrency", "channel", "route", "global", "unproven"),
                    "the level that refused"),
            Parameter.query(
                    "decision",
                    Schema.oneOf("throttled", "would_throttle"),
                    "refused, or let through because the tier is being tried out; both if not said"),
            Parameter.query("node", NAME, "the Weir that refused"),
            Parameter.query("from", Schema.time(), "the earliest"),
            Parameter.query("until", Schema.time(), "before this"));

    private static final Parameter BY = Parameter.query(
            "by",
            Schema.oneOf("principal", "tool", "route", "level", "time"),
            "what calls are summed by; always needed");
    private static final Parameter STEP = Parameter.query(
            "step", Schema.oneOf("minute", "hour", "day"), "how long a step in time is, in UTC; hour if not said");

    private final ThrottleArchive archive;
    private final Pages<ThrottleRecord> pages = new Pages<>(ThrottleRecord::place, HistoryOperations::item);
    private final Exports exports;

    public HistoryOperations(ThrottleArchive archive, Exports exports) {
        this.archive = archive;
        this.exports = exports;
    }

    /** All of them. */
    public List<Operation> all() {
        List<Parameter> sums = new ArrayList<>(List.of(BY, STEP));
        sums.addAll(FILTERS);
        return List.of(
                Operation.get(
                                "/v1/throttles",
                                Role.VIEWER,
                                "listThrottles",
                                "Lists refusals, the latest first.",
                                Pages.schema("Throttles", ITEM),
                                this::list)
                        .taking(Pages.with(FILTERS)),
                Operation.get(
                                "/v1/throttles/sums",
                                Role.VIEWER,
                                "sumThrottles",
                                "Sums refusals up: the largest sums first, or the course of time.",
                                SUMS,
                                this::sum)
                        .taking(sums.toArray(Parameter[]::new)),
                new Operation(
                        "GET",
                        "/v1/throttles/export",
                        Role.VIEWER,
                        "exportThrottles",
                        "Writes all refusals that are asked for into a file.",
                        List.of(Exports.with(FILTERS)),
                        null,
                        null,
                        this::export));
    }

    private Answer list(Ask ask) {
        ThrottleArchive.Filter filter = filter(ask);
        return pages.answer(ask, true, (after, most) -> archive.page(filter, after, most));
    }

    private Answer export(Ask ask) {
        ThrottleArchive.Filter filter = filter(ask);
        return exports.answer(ask, "throttles", MEMBERS, pages, (after, most) -> archive.page(filter, after, most));
    }

    private Answer sum(Ask ask) throws Problem {
        String by = ask.text("by");
        if (by == null) {
            throw Problem.faulty(400, "not_valid", List.of(new Problem.Fault("by", null, "is missing")));
        }
        ThrottleArchive.Filter filter = filter(ask);
        boolean time = by.equals("time");
        if (!time && ask.text("step") != null) {
            throw Problem.faulty(
                    400, "not_valid", List.of(new Problem.Fault("step", ask.text("step"), "goes with by=time only")));
        }
        List<ThrottleArchive.Sum> sums = time
                ? archive.course(filter, step(ask.text("step")))
                : archive.sums(filter, ThrottleArchive.By.valueOf(by.toUpperCase(Locale.ROOT)));
        return Answer.json(
                Map.of("items", sums.stream().map(HistoryOperations::item).toList()));
    }

    private static Duration step(@Nullable String word) {
        return switch (String.valueOf(word)) {
            case "minute" -> Duration.ofMinutes(1);
            case "day" -> Duration.ofDays(1);
            default -> Duration.ofHours(1);
        };
    }

    private static ThrottleArchive.Filter filter(Ask ask) {
        String decision = ask.text("decision");
        return new ThrottleArchive.Filter(
                ask.text("principal"),
                ask.text("route"),
                ask.text("tool"),
                ask.text("level"),
                decision == null ? null : ThrottleEvent.Decision.valueOf(decision.toUpperCase(Locale.ROOT)),
                ask.text("node"),
                ask.time("from"),
                ask.time("until"));
    }

    private static Map<String, @Nullable Object> item(ThrottleRecord record) {
        ThrottleEvent.Kind kind = record.kind();
        Map<String, @Nullable Object> item = new LinkedHashMap<>();
        item.put("id", record.id());
        item.put("happened_at", Utc.text(record.at()));
        item.put("principal", kind.principal());
        item.put("route", kind.route());
        item.put("tool", kind.tool());
        item.put("level", kind.level());
        item.put("decision", kind.decision().word());
        item.put("calls", record.calls());
        item.put("node", record.node());
        return item;
    }

    private static Map<String, Object> item(ThrottleArchive.Sum sum) {
        Map<String, Object> item = new LinkedHashMap<>();
        put(item, "principal", sum.principal());
        put(item, "route", sum.route());
        put(item, "tool", sum.tool());
        put(item, "level", sum.level());
        Instant at = sum.at();
        put(item, "at", at == null ? null : Utc.text(at));
        item.put("calls", sum.calls());
        return item;
    }

    private static void put(Map<String, Object> item, String name, @Nullable String value) {
        if (value != null) {
            item.put(name, value);
        }
    }
}
