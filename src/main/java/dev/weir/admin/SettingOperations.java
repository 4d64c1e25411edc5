package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.policy.edit.Change;
import dev.weir.policy.edit.PolicyDesk;
import dev.weir.policy.edit.TableRow;
import dev.weir.policy.table.Setting;
import dev.weir.policy.table.Settings;
import dev.weir.policy.table.Table;
import dev.weir.policy.table.Tables;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Operation;
import dev.weir.rest.Parameter;
import dev.weir.rest.Problem;
import dev.weir.rest.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Shows every setting that there is, whether it has a row or not, and sets them. */
final class SettingOperations {

    /** The tag of a setting that has no row. */
    private static final String NO_ROW = "none";

    /** The most rows that are looked at; there cannot be so many that make a policy. */
    private static final int MOST = 500;

    private static final Table TABLE = Tables.named("setting");

    private static final Parameter NAME = Parameter.path("name", "The setting.");

    private static final Schema ITEM = Schema.of("Setting")
            .member("name", Schema.text(64))
            .member("content", Schema.text(1_024).orNull().meaning("what its row says; null if it has none"))
            .member("standard", Schema.text(1_024).orNull().meaning("what holds without a row"))
            .member("inForce", Schema.text(1_024).orNull().meaning("what holds on this node now"))
            .member("type", Schema.oneOf("text", "whole", "number", "flag", "time"))
            .member("least", Schema.number().orNull())
            .member("most", Schema.number().orNull())
            .member("longest", Schema.whole(0, 10_000).orNull())
            .member("words", Schema.list(Schema.text(64)))
            .member("form", Schema.text(1_000).orNull())
            .member("unit", Schema.text(20).orNull())
            .member("meaning", Schema.text(1_000))
            .member("effect", Schema.text(1_000))
            .member("self", Schema.text(1_000))
            .member("etag", Schema.text(100));

    private final PolicyDesk desk;
    private final Edits edits;
    private final Map<String, String> standards;
    private final Supplier<Map<String, String>> inForce;

    /**
     * @param standards what holds where no row says otherwise
     * @param inForce   what holds now
     */
    SettingOperations(
            PolicyDesk desk, Edits edits, Map<String, String> standards, Supplier<Map<String, String>> inForce) {
        this.desk = desk;
        this.edits = edits;
        this.standards = standards;
        this.inForce = inForce;
    }

    List<Operation> all() {
        String one = "/v1/settings/{name}";
        return List.of(
                Operation.get(
                                "/v1/settings",
                                Role.VIEWER,
                                "listSettings",
                                "Lists every setting that there is, with what holds.",
                                RowSchema.page(ITEM),
                                this::list)
                        .taking(RowOperations.page()),
                Operation.get(one, Role.VIEWER, "getSetting", "Reads a setting.", ITEM, this::read)
                        .taking(NAME),
                Operation.change(
                                "POST",
                                "/v1/settings",
                                Role.ADMIN,
                                "createSetting",
                                "Makes a row of setting.",
                                this::create)
                        .sending(RowSchema.create(TABLE))
                        .answering(ITEM),
                Operation.change(
                                "PATCH",
                                one,
                                Role.ADMIN,
                                "changeSetting",
                                "Sets a setting, whether it has a row or not; null takes its row away. Needs If-Match.",
                                this::change)
                        .taking(NAME)
                        .sending(Schema.of("Change of a setting")
                                .maybe("content", Schema.text(1_024).orNull()))
                        .answering(ITEM),
                Operation.change(
                                "DELETE",
                                one,
                                Role.ADMIN,
                                "deleteSetting",
                                "Takes the row of a setting away, so that its standard holds. Needs If-Match.",
                                this::delete)
                        .taking(NAME));
    }

    private Answer list(Ask ask) {
        Map<String, TableRow> rows = new LinkedHashMap<>();
        desk.list(TABLE, Map.of(), null, MOST).forEach(row -> rows.put(name(row), row));
        Map<String, @Nullable TableRow> all = new LinkedHashMap<>();
        Settings.ALL.forEach(setting -> all.put(setting.name(), rows.remove(setting.name())));
        all.putAll(rows);
        List<String> names = new ArrayList<>(all.keySet());
        List<Object> after = Cursor.key(TABLE, ask.text("after"));
        int from = after == null ? 0 : names.indexOf(after.get(0).toString()) + 1;
        int to = (int) Math.min(names.size(), from + ask.whole("limit", RowOperations.PAGE));
        Map<String, Object> page = new LinkedHashMap<>();
        page.put(
                "items",
                names.subList(from, to).stream()
                        .map(name -> item(name, all.get(name)))
                        .toList());
        if (to < names.size()) {
            page.put("next", Cursor.of(List.of(names.get(to - 1))));
        }
        return Answer.json(page);
    }

    private Answer read(Ask ask) {
        String name = ask.path("name");
        return answer(200, name, known(name));
    }

    private Answer create(Ask ask) {
        Map<String, @Nullable Object> values = new RowReader(TABLE, "").create(ask.body());
        String name = String.valueOf(values.get("name"));
        check(name, String.valueOf(values.get("content")));
        TableRow row = edits.make(ask.operator(), Change.create(TABLE, values));
        return answer(201, name, row).with("Location", "/admin/api" + self(name));
    }

    private Answer change(Ask ask) {
        String name = ask.path("name");
        TableRow row = known(name);
        Predicate<String> matches = IfMatch.of(ask);
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        if (ask.body().path("content").isString()) {
            String content = ask.body().path("content").asString();
            check(name, content);
            values.put("content", content);
        }
        if (row == null) {
            return answer(200, name, values.isEmpty() ? null : first(ask, name, values, matches));
        }
        List<Object> key = List.of(name);
        boolean takenAway = ask.body().path("content").isNull();
        Change change = takenAway ? Change.delete(TABLE, key, matches) : Change.update(TABLE, key, values, matches);
        return answer(200, name, edits.make(ask.operator(), change));
    }

    private @Nullable TableRow first(
            Ask ask, String name, Map<String, @Nullable Object> values, Predicate<String> matches) {
        if (!matches.test(NO_ROW)) {
            throw changed();
        }
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("name", name);
        row.putAll(values);
        try {
            return edits.make(ask.operator(), Change.create(TABLE, row));
        } catch (Problem problem) {
            throw problem.status() == 409 ? changed() : problem;
        }
    }

    private static Problem changed() {
        return Problem.of(412, "changed_meanwhile", "Somebody has set the setting meanwhile. Read it again.");
    }

    private Answer delete(Ask ask) {
        var unused = edits.make(ask.operator(), Change.delete(TABLE, List.of(ask.path("name")), IfMatch.of(ask)));
        return Answer.nothing();
    }

    /** The row of a setting that there is, or of one that is not known and has a row; null if it has none. */
    private @Nullable TableRow known(String name) {
        TableRow row = desk.find(TABLE, List.of(name));
        if (row == null && Settings.named(name) == null) {
            throw Problem.notFound("setting [" + name + "]");
        }
        return row;
    }

    private static void check(String name, String content) {
        Setting setting = Settings.named(name);
        if (setting == null) {
            throw Problem.faulty("name", name, "is no setting");
        }
        String fault = setting.fault(content);
        if (fault != null) {
            throw Problem.faulty("content", content, fault);
        }
    }

    private Answer answer(int status, String name, @Nullable TableRow row) {
        return Answer.json(status, item(name, row)).with("ETag", etag(row));
    }

    private Map<String, @Nullable Object> item(String name, @Nullable TableRow row) {
        Setting setting = Settings.named(name);
        Map<String, @Nullable Object> item = new LinkedHashMap<>();
        item.put("name", name);
        item.put("content", row == null ? null : row.values().get("content"));
        item.put("standard", standards.get(name));
        item.put("inForce", inForce.get().get(name));
        item.put(
                "type",
                setting == null ? "text" : setting.values().type().name().toLowerCase(Locale.ROOT));
        item.putAll(
                TableOperations.limits(setting == null ? TABLE.columns().get(1).values() : setting.values()));
        item.put("unit", setting == null || setting.unit().isEmpty() ? null : setting.unit());
        item.put(
                "meaning",
                setting == null
                        ? "There is no setting of this name, so that the rows make no policy."
                        : setting.meaning());
        item.put("effect", setting == null ? "Deleted, it is gone." : setting.effect());
        item.put("self", self(name));
        item.put("etag", etag(row));
        return item;
    }

    private static String name(TableRow row) {
        return String.valueOf(row.values().get("name"));
    }

    private static String self(String name) {
        return RowJson.self(TABLE, List.of(name));
    }

    private static String etag(@Nullable TableRow row) {
        return row == null ? '"' + NO_ROW + '"' : RowJson.etag(row);
    }
}
