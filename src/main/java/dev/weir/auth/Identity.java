package dev.weir.auth;

/** What is known of a caller before anything is decided. */
public sealed interface Identity {

    /** Under whom the call is counted: the proven client, else the address. */
    Principal principal();

    /** A client that has presented a good credential. */
    record Proven(Principal principal) implements Identity {}

    /** A caller that presented nothing, where nothing is asked for. */
    record Anonymous(Principal principal) implements Identity {}

    /**
     * A caller that has not proven itself although it had to, or presented a credential that is not good.
     *
     * @param presented whether there was a credential
     */
    record Unproven(Principal principal, boolean presented) implements Identity {}
}
