package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.policy.edit.Change;
import dev.weir.policy.edit.TableRow;
import dev.weir.policy.table.Setting;
import dev.weir.policy.table.Settings;
import dev.weir.policy.table.Table;
import dev.weir.policy.table.Tables;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Operation;
import dev.weir.rest.Problem;
import dev.weir.rest.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Makes several changes of the policy in one transaction: all, or none. */
final class ChangeOperations {

    private static final int MOST = 500;

    private static final Schema BODY = Schema.of("Changes")
            .member(
                    "changes",
                    Schema.list(Schema.of("Change")
                                    .member("op", Schema.oneOf("create", "change", "delete"))
                                    .member("table", Schema.text(64).meaning("its name, as /v1/tables has it"))
                                    .maybe("key", Schema.object().meaning("names the row that is changed or deleted"))
                                    .maybe(
                                            "row",
                                            Schema.object()
                                                    .meaning("the columns of a new row, or those that are changed"))
                                    .maybe("etag", Schema.text(1_000).meaning("of the row that is changed or deleted")))
                            .with("minItems", 1)
                            .with("maxItems", MOST));

    private static final Schema ANSWER = Schema.of("Changed")
            .member(
                    "items",
                    Schema.list(RowSchema.wrap("Row", Schema.object())
                            .orNull()
                            .meaning("the rows in the order of the changes; null for those that are gone")));

    private final Edits edits;

    ChangeOperations(Edits edits) {
        this.edits = edits;
    }

    Operation make() {
        return Operation.change(
                        "POST",
                        "/v1/changes",
                        Role.ADMIN,
                        "changePolicy",
                        "Makes several changes in one transaction, one after the other: all or none.",
                        this::make)
                .sending(BODY)
                .answering(ANSWER);
    }

    private Answer make(Ask ask) {
        List<Change> changes = new ArrayList<>();
        for (JsonNode node : ask.body().path("changes")) {
            changes.add(change(node, "changes." + changes.size() + "."));
        }
        List<@Nullable Object> items = new ArrayList<>();
        for (TableRow row : edits.make(ask.operator(), changes, "changes.#.row.")) {
            items.add(row == null ? null : RowJson.item(row, ask.operator()));
        }
        return Answer.json(Map.of("items", items));
    }

    private static Change change(JsonNode node, String at) {
        Table table = table(node.path("table").asString(), at);
        RowReader rows = new RowReader(table, at + "row.");
        JsonNode row = node.has("row") ? node.path("row") : JsonNodeFactory.instance.objectNode();
        String op = node.path("op").asString();
        if (op.equals("create")) {
            if (table.name().equals("client_key")) {
                throw Problem.faulty(at + "table", "client_key", "has rows that only POST /v1/client-keys makes");
            }
            Map<String, @Nullable Object> values = rows.create(row);
            check(table, String.valueOf(values.get("name")), values, at);
            return Change.create(table, values);
        }
        JsonNode key = node.has("key") ? node.path("key") : JsonNodeFactory.instance.objectNode();
        List<Object> names = new RowReader(table, at + "key.").key(key);
        var matches = IfMatch.of(node.has("etag") ? node.path("etag").asString() : null);
        if (op.equals("delete")) {
            return Change.delete(table, names, matches);
        }
        Map<String, @Nullable Object> values = rows.change(row);
        check(table, names.get(0).toString(), values, at);
        return Change.update(table, names, values, matches);
    }

    /** What is set has to be a setting, and to be what that may be. */
    private static void check(Table table, String name, Map<String, @Nullable Object> values, String at) {
        if (table.name().equals("setting") && values.get("content") instanceof String content) {
            Setting setting = Settings.named(name);
            String fault = setting == null ? null : setting.fault(content);
            if (setting == null) {
                throw Problem.faulty(at + "row.name", name, "is no setting");
            }
            if (fault != null) {
                throw Problem.faulty(at + "row.content", content, fault);
            }
        }
    }

    private static Table table(String name, String at) {
        try {
            return Tables.named(name);
        } catch (IllegalArgumentException e) {
            throw Problem.faulty(at + "table", name, String.valueOf(e.getMessage()));
        }
    }
}
