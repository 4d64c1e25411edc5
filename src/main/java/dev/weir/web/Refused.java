package dev.weir.web;

import org.jspecify.annotations.Nullable;

/**
 * What refusals have in common of which the log tells the first, and then how many there were.
 *
 * @param who      the principal, or the address while nobody has been identified
 * @param status   the HTTP status
 * @param decision the gate's decision; absent if it was not asked
 * @param refusal  the name of a refusal that is not the gate's; absent if it is
 * @param route    the route's prefix, if it is known
 * @param tool     the tool, if it was to be a call of one
 * @param level    the limit that refused, if one did
 */
record Refused(
        String who,
        int status,
        @Nullable String decision,
        @Nullable String refusal,
        @Nullable String route,
        @Nullable String tool,
        @Nullable String level) {

    /** All kinds that there is no room for. */
    static final Refused OTHERS = new Refused("others", 0, null, null, null, null, null);
}
