package dev.weir.policy.table;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Table {@code client_key}. */
final class ClientKeyTable {

    static final Table TABLE = Table.of(
                    "client_key",
                    "client-keys",
                    "Keys",
                    "A key is a credential of a client. It is shown once, when it is made, and kept as its SHA-256 only.",
                    List.of(
                            Column.key(
                                    "sha256",
                                    Values.text(64)
                                            .like(Values.Form.of(
                                                    "^[0-9a-f]{64}$", "must be 64 small hexadecimal digits")),
                                    "The SHA-256 of the key. Its first 16 digits name callers counted by key."),
                            Column.needed("client", Values.text(64), "Whose key it is.", "")
                                    .at(Column.Place.ONCE)
                                    .of("client.id"),
                            Column.with(
                                    "",
                                    "label",
                                    Values.text(255),
                                    "What people tell it from the client's other keys by.",
                                    "Nothing but what people read."),
                            Column.made("created_at", Values.time(), "When it was made."),
                            Column.maybe(
                                    "expires_at",
                                    Values.time(),
                                    "From when on it is good no longer. Nothing: never.",
                                    "Calls with it are refused with 401 from then on."),
                            Column.maybe(
                                    "revoked_at",
                                    Values.time(),
                                    "When it was taken away. Nothing: it was not.",
                                    "If anything stands here, calls with the key are refused with 401 from now on, whatever the time.")))
            .under(new Rule(
                    "client_key_expires_after_created",
                    "expires_at",
                    "must be after the key is made",
                    ClientKeyTable::expiresAfterItIsMade))
            .referring(new Reference("client_key_client_must_exist", List.of("client"), "client", true));

    private ClientKeyTable() {}

    private static boolean expiresAfterItIsMade(Map<String, @Nullable Object> row) {
        return !(row.get("created_at") instanceof Instant made)
                || !(row.get("expires_at") instanceof Instant end)
                || end.isAfter(made);
    }
}
