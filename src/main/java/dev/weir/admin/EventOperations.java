package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.policy.AdminEvent;
import dev.weir.policy.AdminEvents;
import dev.weir.policy.edit.Hidden;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Operation;
import dev.weir.rest.Operator;
import dev.weir.rest.Parameter;
import dev.weir.rest.Schema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Looking at what operators have changed. */
public final class EventOperations {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final List<String> MEMBERS =
            List.of("id", "happened_at", "changed_by", "action", "table_name", "row_name", "before", "after");

    private static final Schema NAME = Schema.text(4_096);

    private static final Schema ITEM = Schema.of("Event")
            .member("id", Schema.whole(0, Long.MAX_VALUE))
            .member("happened_at", Schema.time())
            .member("changed_by", NAME.meaning("the operator, or the user of the database if nobody said who it is"))
            .member("action", Schema.oneOf("insert", "update", "delete", "truncate"))
            .member("table_name", NAME)
            .member("row_name", NAME.meaning("the row's key, its columns with a space between them"))
            .member("before", Schema.object().orNull().meaning("the row before; null if there was none"))
            .member("after", Schema.object().orNull().meaning("the row after; null if there is none"));

    private static final List<Parameter> FILTERS = List.of(
            Parameter.query("table", Schema.text(64), "the table that was changed"),
            Parameter.query("row", NAME, "the key of the row, its columns with a space between them"),
            Parameter.query("by", NAME, "who made the change"),
            Parameter.query("action", Schema.oneOf("insert", "update", "delete", "truncate"), "what was done"),
            Parameter.query("from", Schema.time(), "the earliest"),
            Parameter.query("until", Schema.time(), "before this"));

    private final AdminEvents events;
    private final Exports exports;

    public EventOperations(AdminEvents events, Exports exports) {
        this.events = events;
        this.exports = exports;
    }

    /** All of them. */
    public List<Operation> all() {
        return List.of(
                Operation.get(
                                "/v1/events",
                                Role.VIEWER,
                                "listEvents",
                                "Lists what operators have changed, the latest first.",
                                Pages.schema("Events", ITEM),
                                this::list)
                        .taking(Pages.with(FILTERS)),
                new Operation(
                        "GET",
                        "/v1/events/export",
                        Role.VIEWER,
                        "exportEvents",
                        "Writes all changes that are asked for into a file.",
                        List.of(Exports.with(FILTERS)),
                        null,
                        null,
                        this::export));
    }

    private Answer list(Ask ask) {
        AdminEvents.Filter filter = filter(ask);
        return pages(ask.operator()).answer(ask, true, (after, most) -> events.page(filter, after, most));
    }

    private Answer export(Ask ask) {
        AdminEvents.Filter filter = filter(ask);
        return exports.answer(
                ask, "events", MEMBERS, pages(ask.operator()), (after, most) -> events.page(filter, after, most));
    }

    private static Pages<AdminEvent> pages(Operator operator) {
        boolean all = operator.role().includes(Role.ADMIN);
        return new Pages<>(AdminEvent::place, event -> item(event, all));
    }

    private static AdminEvents.Filter filter(Ask ask) {
        return new AdminEvents.Filter(
                ask.text("table"),
                ask.text("row"),
                ask.text("by"),
                ask.text("action"),
                ask.time("from"),
                ask.time("until"));
    }

    private static Map<String, @Nullable Object> item(AdminEvent event, boolean all) {
        Map<String, @Nullable Object> item = new LinkedHashMap<>();
        item.put("id", event.id());
        item.put("happened_at", Utc.text(event.at()));
        item.put("changed_by", event.by());
        item.put("action", event.action());
        item.put("table_name", event.table());
        item.put("row_name", event.row());
        item.put("before", row(event.table(), event.before(), all));
        item.put("after", row(event.table(), event.after(), all));
        return item;
    }

    private static @Nullable ObjectNode row(String table, @Nullable String text, boolean all) {
        try {
            if (text == null || !(JSON.readTree(text) instanceof ObjectNode row)) {
                return null;
            }
            String content = row.path("content").asString("");
            if (table.equals("route_header") && !all && !Hidden.isReference(content)) {
                row.put("content", Hidden.PLACEHOLDER);
            }
            return row;
        } catch (JacksonException e) {
            return null;
        }
    }
}
