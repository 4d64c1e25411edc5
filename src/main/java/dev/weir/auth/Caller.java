package dev.weir.auth;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who makes a call, under what it is counted, and what it may. What it is counted under and who it is differ where the {@link
 * KeyStrategy} says so: a client that has proven itself may be counted under its address. Immutable.
 *
 * @param principal what buckets, strikes and bans are kept under
 * @param owner     to whom the sessions belong that it opens
 * @param client    the id of the client that has proven itself; null if none has, or if its token is no listed client's
 * @param proof     by what it has proven itself
 * @param scopes    what its key or token is good for
 * @param exempt    whether its calls are never limited, and it is never banned
 * @param welcome   whether it may call at all; a good token may be that of a client that is switched off
 */
public record Caller(
        Principal principal,
        Principal owner,
        @Nullable String client,
        Proof proof,
        Set<String> scopes,
        boolean exempt,
        boolean welcome) {

    /** By what a caller has proven itself. */
    public enum Proof {
        NONE,
        KEY,
        TOKEN
    }

    public Caller {
        scopes = Set.copyOf(scopes);
    }

    /** A client with a key that has no scopes. */
    public Caller(Principal principal, String client, boolean exempt) {
        this(principal, Principal.client(client), client, Proof.KEY, Set.of(), exempt, true);
    }

    /** The same, but counted under something else. */
    Caller under(Principal other) {
        return new Caller(other, owner, client, proof, scopes, exempt, welcome);
    }

    /** Somebody about whom nothing is proven. */
    static Caller unknown(Principal principal) {
        return new Caller(principal, principal, null, Proof.NONE, Set.of(), false, true);
    }
}
