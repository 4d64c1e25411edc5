package dev.weir.policy;

import dev.weir.auth.Bearer;
import dev.weir.auth.ClientKey;
import dev.weir.auth.Role;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Turns the rows of clients, their keys and their tokens into credentials. For one compilation by one thread. */
final class ClientCompiler {

    private record Client(PolicyRows.Client row, Set<String> scopes, Role role) {}

    private final PolicyRows rows;
    private final Problems problems;
    private final Map<String, Client> clients = new HashMap<>();

    ClientCompiler(PolicyRows rows, Problems problems) {
        this.rows = rows;
        this.problems = problems;
        for (PolicyRows.Client row : rows.clients()) {
            Client client = problems.check(
                    "client", row.id(), () -> new Client(row, Scopes.of(row.scopes()), Role.of(row.role())));
            if (client != null) {
                clients.put(row.id(), client);
            }
        }
    }

    /** @param refuseUnlisted whether tokens that are no listed client's are refused */
    Credentials compile(boolean refuseUnlisted) {
        Map<String, Bearer> bySubject = new HashMap<>();
        Map<String, Bearer> byClientId = new HashMap<>();
        for (PolicyRows.ClientToken row : rows.clientTokens()) {
            Client client = clients.get(row.client());
            if (client == null) {
                problems.add(
                        "client_token", row.claim() + " " + row.content(), "there is no client [" + row.client() + "]");
            } else {
                Bearer bearer = new Bearer(
                        row.client(), client.row().exempt(), client.row().enabled());
                (row.claim().equals("sub") ? bySubject : byClientId).put(row.content(), bearer);
            }
        }
        return new Credentials(keys(), bySubject, byClientId, new Bearer(null, false, !refuseUnlisted));
    }

    private Map<String, Credentials.Key> keys() {
        Map<String, Credentials.Key> keys = new HashMap<>();
        for (PolicyRows.ClientKey row : rows.clientKeys()) {
            Client client = clients.get(row.client());
            if (client != null && client.row().enabled() && row.revokedAt() == null) {
                ClientKey key =
                        ClientKey.of(row.client(), row.sha256(), client.row().exempt(), client.scopes(), client.role());
                keys.put(row.sha256(), new Credentials.Key(key, row.expiresAt()));
            }
        }
        return keys;
    }
}
