package dev.weir.ban;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A principal shut out for a time.
 *
 * @param id            names the ban, in answers and in its row
 * @param principal     who is shut out
 * @param scope         what is shut
 * @param reason        why, in words
 * @param route         the route of the strike that brought it; null for a ban that did not come from strikes
 * @param tool          the tool of that strike; null if it was at a wider level
 * @param strikes       how many strikes brought it; zero for a ban by hand
 * @param windowSeconds the window in which they came
 * @param evidence      those strikes, the oldest first
 * @param escalation    how many bans before it made it longer
 * @param bannedBy      the operator who made it; null if nobody said so
 * @param startedAt     when it began
 * @param expiresAt     when it ends
 */
public record Ban(
        String id,
        String principal,
        BanRule.Scope scope,
        String reason,
        @Nullable String route,
        @Nullable String tool,
        int strikes,
        int windowSeconds,
        List<Evidence> evidence,
        int escalation,
        @Nullable String bannedBy,
        Instant startedAt,
        Instant expiresAt) {

    /**
     * One strike, as it is kept with the ban that it led to.
     *
     * @param at    when the call was refused
     * @param route the route that it was made on
     * @param tool  the tool that it would have run; null if none
     * @param level the level that refused it
     * @param arguments the digest of its arguments, which tells whether calls were alike and nothing else; null if it had none
     */
    public record Evidence(
            Instant at,
            String route,
            @Nullable String tool,
            String level,
            @Nullable String arguments) {}
}
