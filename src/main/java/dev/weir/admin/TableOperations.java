package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.policy.table.Column;
import dev.weir.policy.table.Table;
import dev.weir.policy.table.Tables;
import dev.weir.policy.table.Values;
import dev.weir.rest.Answer;
import dev.weir.rest.Operation;
import dev.weir.rest.Schema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tells what tables the policy has, and what their columns mean, so that forms can be made of it. */
final class TableOperations {

    private static final Schema COLUMN = Schema.of("Column")
            .member("name", Schema.text(64))
            .member("type", Schema.oneOf("text", "whole", "number", "flag", "time"))
            .member("key", Schema.flag().meaning("whether it is part of what names a row"))
            .member("required", Schema.flag().meaning("whether a row cannot be made without it"))
            .member("nullable", Schema.flag().meaning("whether nothing may stand there"))
            .member(
                    "set",
                    Schema.oneOf("once", "always", "never")
                            .meaning("when it may be said: only when the row is made, always, or never"))
            .member("default", Schema.any().meaning("what stands there if nothing is said; null for nothing"))
            .member("least", Schema.number().orNull())
            .member("most", Schema.number().orNull())
            .member("longest", Schema.whole(0, 10_000).orNull().meaning("the most characters"))
            .member("words", Schema.list(Schema.text(64)).meaning("the only ones that there are; empty for any"))
            .member("form", Schema.text(1_000).orNull().meaning("what it has to look like, in words"))
            .member("refersTo", Schema.text(130).orNull().meaning("the table and column that it repeats: route.prefix"))
            .member("unit", Schema.text(20).orNull())
            .member("secret", Schema.flag().meaning("whether only admins see it"))
            .member("meaning", Schema.text(1_000))
            .member("effect", Schema.text(1_000).meaning("what happens if it is changed"));

    private static final Schema TABLE = Schema.of("Table")
            .member("name", Schema.text(64).meaning("in the database, in events and in changes"))
            .member("path", Schema.text(64).meaning("the address below /v1/"))
            .member("title", Schema.text(64))
            .member("meaning", Schema.text(1_000))
            .member("role", Schema.oneOf("operator", "admin").meaning("the least that changes rows"))
            .member("createRole", Schema.oneOf("operator", "admin").meaning("the least that makes rows"))
            .member("columns", Schema.list(COLUMN));

    List<Operation> all() {
        return List.of(Operation.get(
                "/v1/tables",
                Role.VIEWER,
                "listTables",
                "Describes all tables of the policy.",
                RowSchema.page(TABLE),
                ask -> Answer.json(Map.of(
                        "items",
                        Tables.ALL.stream().map(TableOperations::members).toList()))));
    }

    private static Map<String, Object> members(Table table) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", table.name());
        members.put("path", table.path());
        members.put("title", table.title());
        members.put("meaning", table.meaning());
        members.put("role", "admin");
        members.put("createRole", table.creator().name().toLowerCase(Locale.ROOT));
        members.put(
                "columns",
                table.columns().stream().map(TableOperations::members).toList());
        return members;
    }

    private static Map<String, @Nullable Object> members(Column column) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("name", column.name());
        members.put("type", column.values().type().name().toLowerCase(Locale.ROOT));
        members.put("key", column.key());
        members.put("required", column.required());
        members.put("nullable", column.nullable());
        members.put(
                "set",
                switch (column.place()) {
                    case KEY, ONCE -> "once";
                    case FREE -> "always";
                    case MADE -> "never";
                });
        members.put("default", column.standard());
        members.putAll(limits(column.values()));
        members.put("refersTo", column.refersTo());
        members.put("unit", column.unit().isEmpty() ? null : column.unit());
        members.put("secret", column.secret());
        members.put("meaning", column.meaning());
        members.put("effect", column.effect());
        return members;
    }

    /** What may stand somewhere, as far as a form can see to it. */
    static Map<String, @Nullable Object> limits(Values values) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        Values.Form form = values.form();
        members.put("least", values.least());
        members.put("most", values.most());
        members.put("longest", values.longest() == 0 ? null : values.longest());
        members.put("words", values.words());
        members.put("form", form == null ? null : form.rule());
        return members;
    }
}
