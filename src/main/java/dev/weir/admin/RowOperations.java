package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.policy.edit.Change;
import dev.weir.policy.edit.PolicyDesk;
import dev.weir.policy.edit.TableRow;
import dev.weir.policy.table.Column;
import dev.weir.policy.table.Table;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Operation;
import dev.weir.rest.Parameter;
import dev.weir.rest.Problem;
import dev.weir.rest.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Lists, reads, makes, changes and deletes the rows of one table of the policy. */
final class RowOperations {

    /** How many rows a page has if nothing is said. */
    static final int PAGE = 50;

    private static final int LARGEST_PAGE = 500;

    private final Table table;
    private final PolicyDesk desk;
    private final Edits edits;
    private final Schema item;

    RowOperations(Table table, PolicyDesk desk, Edits edits) {
        this.table = table;
        this.desk = desk;
        this.edits = edits;
        this.item = RowSchema.item(table);
    }

    /** All but making one. */
    List<Operation> withoutCreate() {
        String one = "/v1/" + table.path()
                + table.key().stream().map(column -> "/{" + column.name() + "}").reduce("", String::concat);
        Parameter[] key = table.key().stream()
                .map(column -> Parameter.path(column.name(), column.meaning()))
                .toArray(Parameter[]::new);
        return List.of(
                Operation.get(
                                "/v1/" + table.path(),
                                Role.VIEWER,
                                "list" + plural(),
                                "Lists the rows of " + table.name() + " in the order of their keys.",
                                RowSchema.page(item),
                                this::list)
                        .taking(filters()),
                Operation.get(
                                one,
                                Role.VIEWER,
                                "get" + singular(),
                                "Reads a row of " + table.name() + ".",
                                item,
                                this::read)
                        .taking(key),
                Operation.change(
                                "PATCH",
                                one,
                                Role.ADMIN,
                                "change" + singular(),
                                "Changes some columns of a row of " + table.name() + " (RFC 7396). Needs If-Match.",
                                this::change)
                        .taking(key)
                        .sending(RowSchema.change(table))
                        .answering(item),
                Operation.change(
                                "DELETE",
                                one,
                                Role.ADMIN,
                                "delete" + singular(),
                                "Deletes a row of " + table.name() + ". Needs If-Match.",
                                this::delete)
                        .taking(key));
    }

    /** Making one, of what was sent. */
    Operation create() {
        return Operation.change(
                        "POST",
                        "/v1/" + table.path(),
                        table.creator(),
                        "create" + singular(),
                        "Makes a row of " + table.name() + ".",
                        this::create)
                .sending(RowSchema.create(table))
                .answering(item);
    }

    private Parameter[] filters() {
        List<Parameter> parameters = new ArrayList<>();
        for (Column column : filterColumns()) {
            List<String> words = column.values().words();
            Schema schema = words.isEmpty()
                    ? Schema.text(column.values().longest())
                    : Schema.oneOf(words.toArray(String[]::new));
            parameters.add(Parameter.query(column.name(), schema, "Only rows with this " + column.name() + "."));
        }
        parameters.addAll(List.of(page()));
        return parameters.toArray(Parameter[]::new);
    }

    /** What says which page is wanted. */
    static Parameter[] page() {
        return new Parameter[] {
            Parameter.query("limit", Schema.whole(1, LARGEST_PAGE), "The most rows; " + PAGE + " if nothing is said."),
            Parameter.query("after", Schema.text(10_000), "The next of the page before.")
        };
    }

    /** Those by which one may look: what names rows, and what they refer to. */
    private List<Column> filterColumns() {
        return table.columns().stream()
                .filter(column -> column.key() || column.refersTo() != null)
                .toList();
    }

    private Answer list(Ask ask) {
        Map<String, Object> columns = new LinkedHashMap<>();
        for (Column column : filterColumns()) {
            String wanted = ask.text(column.name());
            if (wanted != null) {
                columns.put(column.name(), wanted);
            }
        }
        int limit = (int) ask.whole("limit", PAGE);
        List<TableRow> rows = desk.list(table, columns, Cursor.key(table, ask.text("after")), limit + 1);
        List<TableRow> shown = rows.subList(0, Math.min(limit, rows.size()));
        Map<String, Object> page = new LinkedHashMap<>();
        page.put(
                "items",
                shown.stream().map(row -> RowJson.item(row, ask.operator())).toList());
        if (rows.size() > limit) {
            page.put("next", Cursor.of(shown.get(limit - 1).key()));
        }
        return Answer.json(page);
    }

    private Answer read(Ask ask) {
        TableRow row = desk.find(table, key(ask));
        if (row == null) {
            throw Problem.notFound("row " + table.name() + " of this name");
        }
        return answer(200, row, ask);
    }

    private Answer create(Ask ask) {
        Map<String, @Nullable Object> values = new RowReader(table, "").create(ask.body());
        if (Objects.equals(values.get("kind"), "method")
                && !ask.operator().role().includes(Role.ADMIN)) {
            throw Problem.of(403, "role_too_small", "Giving a method a tier takes the role admin.");
        }
        TableRow row = Objects.requireNonNull(edits.make(ask.operator(), Change.create(table, values)));
        return answer(201, row, ask).with("Location", "/admin/api" + RowJson.self(row));
    }

    private Answer change(Ask ask) {
        Map<String, @Nullable Object> values = new RowReader(table, "").change(ask.body());
        Change change = Change.update(table, key(ask), values, IfMatch.of(ask));
        return answer(200, Objects.requireNonNull(edits.make(ask.operator(), change)), ask);
    }

    private Answer delete(Ask ask) {
        var unused = edits.make(ask.operator(), Change.delete(table, key(ask), IfMatch.of(ask)));
        return Answer.nothing();
    }

    private static Answer answer(int status, TableRow row, Ask ask) {
        return Answer.json(status, RowJson.item(row, ask.operator()))
                .with("ETag", RowJson.etag(RowJson.shown(row, ask.operator())));
    }

    private List<Object> key(Ask ask) {
        return table.key().stream()
                .map(column -> (Object) ask.path(column.name()))
                .toList();
    }

    private String plural() {
        StringBuilder name = new StringBuilder();
        for (String word : table.path().split("-", -1)) {
            name.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
        }
        return name.toString();
    }

    private String singular() {
        String plural = plural();
        return plural.substring(0, plural.length() - 1);
    }
}
