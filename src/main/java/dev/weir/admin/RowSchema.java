package dev.weir.admin;

import dev.weir.policy.table.Column;
import dev.weir.policy.table.Table;
import dev.weir.policy.table.Values;
import dev.weir.rest.Schema;

/** What rows of a table look like as JSON. */
final class RowSchema {

    private RowSchema() {}

    /** A row as it is shown, with its address and tag. */
    static Schema item(Table table) {
        Schema row = Schema.of(table.name());
        for (Column column : table.columns()) {
            row = row.member(column.name(), shown(column).meaning(meaning(column)));
        }
        return wrap("Item of " + table.name(), row);
    }

    static Schema wrap(String title, Schema row) {
        return Schema.of(title)
                .member("row", row)
                .member("self", Schema.text(10_000).meaning("the address below /admin/api"))
                .member("etag", Schema.text(100).meaning("what If-Match has to say to change or delete it"));
    }

    /** A page of them. */
    static Schema page(Schema item) {
        return Schema.of("Page")
                .member("items", Schema.list(item))
                .maybe("next", Schema.text(10_000).meaning("what the parameter after has to say to get the next page"));
    }

    /** A new row. */
    static Schema create(Table table) {
        Schema body = Schema.of("New row of " + table.name());
        for (Column column : table.columns()) {
            if (column.givenAtFirst()) {
                Schema value = sent(column);
                body = column.required() ? body.member(column.name(), value) : body.maybe(column.name(), value);
            }
        }
        return body;
    }

    /** What is to be different in a row. */
    static Schema change(Table table) {
        Schema body = Schema.of("Change of a row of " + table.name());
        for (Column column : table.columns()) {
            if (column.changeable()) {
                body = body.maybe(column.name(), sent(column));
            }
        }
        return body;
    }

    /** What may be sent for a column. */
    static Schema sent(Column column) {
        Values values = column.values();
        Schema schema = switch (values.type()) {
            case TEXT ->
                values.words().isEmpty()
                        ? Schema.text(values.longest())
                        : Schema.oneOf(values.words().toArray(String[]::new));
            case FLAG -> Schema.flag();
            case TIME -> Schema.time();
            case WHOLE, NUMBER -> number(values);
        };
        Schema meant = schema.meaning(meaning(column));
        if (column.standard() != null) {
            meant = meant.with("default", column.standard());
        }
        return column.nullable() ? meant.orNull() : meant;
    }

    private static Schema number(Values values) {
        Schema schema = values.type() == Values.Type.NUMBER
                ? Schema.number()
                : Schema.number().with("type", "integer");
        schema = values.least() == null ? schema : schema.with("minimum", values.least());
        return values.most() == null ? schema : schema.with("maximum", values.most());
    }

    private static Schema shown(Column column) {
        Schema schema = switch (column.values().type()) {
            case TEXT -> Schema.text(column.values().longest());
            case FLAG -> Schema.flag();
            case TIME -> Schema.time();
            case NUMBER -> Schema.number();
            case WHOLE -> Schema.number().with("type", "integer");
        };
        return column.nullable() ? schema.orNull() : schema;
    }

    private static String meaning(Column column) {
        return column.unit().isEmpty() ? column.meaning() : column.meaning() + " Unit: " + column.unit() + ".";
    }
}
