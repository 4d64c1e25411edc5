package dev.weir.auth;

/**
 * A good credential: whose it is, and what its calls may be counted under. Made when a policy is compiled, so that a call
 * makes no names of its own.
 *
 * @param asClient a caller that is counted together with all keys of the client
 * @param asKey    a caller that is counted by itself
 */
public record ClientKey(Caller asClient, Caller asKey) {

    /**
     * The key of this client with this digest.
     *
     * @param exempt whether the client is never limited and never banned
     * @param digest as {@link ApiKey#digest} makes it
     */
    public static ClientKey of(String client, String digest, boolean exempt) {
        return new ClientKey(
                new Caller(Principal.client(client), client, exempt),
                new Caller(Principal.key(digest), client, exempt));
    }
}
