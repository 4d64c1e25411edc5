package dev.weir.admin;

import dev.weir.auth.ApiKey;
import dev.weir.auth.Role;
import dev.weir.policy.edit.Change;
import dev.weir.policy.edit.TableRow;
import dev.weir.policy.table.Column;
import dev.weir.policy.table.Table;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Operation;
import dev.weir.rest.Schema;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Makes keys of clients: they are told once, and only their digests are kept. */
final class KeyOperations {

    private static final List<String> SAID = List.of("client", "label", "expires_at");

    private final Table table;
    private final Edits edits;
    private final SecureRandom random = new SecureRandom();

    KeyOperations(Table table, Edits edits) {
        this.table = table;
        this.edits = edits;
    }

    Operation create() {
        Schema body = Schema.of("New key");
        for (Column column : table.columns()) {
            if (SAID.contains(column.name())) {
                Schema value = RowSchema.sent(column);
                body = column.required() ? body.member(column.name(), value) : body.maybe(column.name(), value);
            }
        }
        return Operation.change(
                        "POST",
                        "/v1/" + table.path(),
                        Role.ADMIN,
                        "createClientKey",
                        "Makes a key of a client. The answer has it, and it is told never again.",
                        this::create)
                .sending(body)
                .answering(RowSchema.item(table)
                        .member("key", Schema.text(100).meaning("the key itself, which is kept nowhere")));
    }

    private Answer create(Ask ask) {
        String key = ApiKey.make(random);
        ObjectNode said = ask.body().deepCopy();
        said.put("sha256", ApiKey.digest(key));
        Map<String, @Nullable Object> values = new RowReader(table, "").create(said);
        TableRow row = Objects.requireNonNull(edits.make(ask.operator(), Change.create(table, values)));
        Map<String, Object> item = RowJson.item(row, ask.operator());
        item.put("key", key);
        return Answer.json(201, item)
                .with("ETag", RowJson.etag(row))
                .with("Location", "/admin/api" + RowJson.self(row));
    }
}
