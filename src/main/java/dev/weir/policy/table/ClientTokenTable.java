package dev.weir.policy.table;

import java.util.List;

/** Table {@code client_token}. */
final class ClientTokenTable {

    static final Table TABLE = Table.of(
                    "client_token",
                    "client-tokens",
                    "Tokens",
                    "Says which OAuth tokens are those of a client, so that they count, and may, as the client does.",
                    List.of(
                            Column.key(
                                            "claim",
                                            Values.oneOf("client_id", "sub"),
                                            "client_id: tokens that were given to the OAuth client of this name. sub: tokens of this subject, which is looked at first.")
                                    .or("client_id"),
                            Column.key("content", Values.name(255), "The OAuth client's name, or the subject."),
                            Column.needed(
                                            "client",
                                            Values.text(64),
                                            "Whose tokens these are.",
                                            "These tokens are counted under the other client, and may what it may, from the next request on.")
                                    .of("client.id")))
            .referring(new Reference("client_token_client_must_exist", List.of("client"), "client", true));

    private ClientTokenTable() {}
}
