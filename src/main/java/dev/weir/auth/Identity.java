package dev.weir.auth;

/** What is known of a caller before anything is decided. */
public sealed interface Identity {

    /** Who it is, and under what the call is counted. */
    Caller caller();

    /** A client that has presented a good credential. */
    record Proven(Caller caller) implements Identity {}

    /** A caller that presented nothing, where nothing is asked for. */
    record Anonymous(Caller caller) implements Identity {}

    /**
     * A caller that has not proven itself although it had to, or presented a credential that is not good. Counted under its
     * address.
     *
     * @param presented whether there was a credential
     */
    record Unproven(Caller caller, boolean presented) implements Identity {}
}
