package dev.weir.policy;

import dev.weir.auth.Bearer;
import dev.weir.auth.ClientKey;
import dev.weir.auth.Clients;
import dev.weir.auth.Token;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Holds the policy in force: one reference, replaced whole. Safe for use by many threads. */
public final class PolicyBook implements Clients {

    private final InstantSource clock;
    private volatile Policy current;

    /**
     * @param first the policy that is in force from the start
     * @param clock the wall clock, on which keys expire
     */
    public PolicyBook(Policy first, InstantSource clock) {
        this.current = first;
        this.clock = clock;
    }

    /** The policy in force. A request reads it once and keeps to it. */
    public Policy current() {
        return current;
    }

    /** Puts another policy in force, from the next request on. */
    public void replace(Policy next) {
        current = next;
    }

    @Override
    public @Nullable ClientKey byKeyDigest(String digest) {
        return current.key(digest, clock.instant());
    }

    @Override
    public Bearer byToken(Token token) {
        return current.bearer(token);
    }
}
