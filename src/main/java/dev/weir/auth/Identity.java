package dev.weir.auth;

import org.jspecify.annotations.Nullable;

/** What is known of a caller before anything is decided. */
public sealed interface Identity {

    /** Who it is, and under what the call is counted. */
    Caller caller();

    /** A client that has presented a good credential. */
    record Proven(Caller caller) implements Identity {}

    /** A caller that presented nothing, where nothing is asked for. */
    record Anonymous(Caller caller) implements Identity {}

    /**
     * A caller that has presented a token which nobody has checked yet. Counted under its address until somebody has, because
     * to check a signature is work that anybody could ask for.
     */
    record Unchecked(Caller caller, String token) implements Identity {

        /** Without the token. */
        @Override
        public String toString() {
            return "Unchecked[caller=" + caller + "]";
        }
    }

    /**
     * A caller that has not proven itself although it had to, or presented a credential that is not good. Counted under its
     * address.
     *
     * @param presented whether there was a credential
     * @param why       what is wrong with it, in words that its bearer may be told; null if there is nothing to be said
     */
    record Unproven(
            Caller caller, boolean presented, @Nullable String why) implements Identity {

        /** One of which no more is to be said. */
        public Unproven(Caller caller, boolean presented) {
            this(caller, presented, null);
        }
    }
}
