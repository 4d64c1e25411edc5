package dev.weir.auth;

import java.util.Set;

/**
 * A good API key: whose it is, and what its calls may be counted under. Made when a policy is compiled, so that a call makes
 * no names of its own.
 *
 * @param asClient a caller that is counted together with all keys of the client
 * @param asKey    a caller that is counted by itself
 * @param role     what it opens beside the routes
 */
public record ClientKey(Caller asClient, Caller asKey, Role role) {

    /** The key of this client with this digest, without scopes, in the role of an agent. */
    public static ClientKey of(String client, String digest, boolean exempt) {
        return of(client, digest, exempt, Set.of(), Role.AGENT);
    }

    /**
     * The key of this client with this digest.
     *
     * @param exempt whether the client is never limited and never banned
     * @param digest as {@link ApiKey#digest} makes it
     * @param scopes what the client's keys are good for
     */
    public static ClientKey of(String client, String digest, boolean exempt, Set<String> scopes, Role role) {
        Principal owner = Principal.client(client);
        Caller caller = new Caller(owner, owner, client, Caller.Proof.KEY, scopes, exempt, true);
        return new ClientKey(caller, caller.under(Principal.key(digest)), role);
    }
}
