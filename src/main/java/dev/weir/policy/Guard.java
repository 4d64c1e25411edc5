package dev.weir.policy;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may call on a route. Immutable.
 *
 * @param listedOnly whether only the clients may that are listed
 * @param scopes     what a caller has to have beside, all of them
 * @param clients    what is said of single clients, by their ids
 */
public record Guard(boolean listedOnly, Set<String> scopes, Map<String, Entry> clients) {

    /** Lets everybody in who may call at all. */
    public static final Guard OPEN = new Guard(false, Set.of(), Map.of());

    /**
     * What is said of one client.
     *
     * @param allowed         whether it may call on the route
     * @param listedToolsOnly whether it may call only the tools that it is listed for
     */
    public record Entry(boolean allowed, boolean listedToolsOnly) {}

    public Guard {
        scopes = Set.copyOf(scopes);
        clients = Map.copyOf(clients);
    }

    /** Whether a client may call on the route, as far as lists say; nobody is null. */
    public boolean admits(@Nullable String client) {
        Entry entry = client == null ? null : clients.get(client);
        return entry == null ? !listedOnly : entry.allowed();
    }

    /** Whether a client may call only the tools that it is listed for. */
    public boolean listsTools(@Nullable String client) {
        Entry entry = client == null ? null : clients.get(client);
        return entry != null && entry.listedToolsOnly();
    }
}
