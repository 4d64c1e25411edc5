package dev.weir.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one node is at, at one moment. Immutable; goes from node to node as JSON, so that members may be missing or unknown.
 *
 * @param requests   those that the gate decided on, a second
 * @param admitted   of them, a second; as the next three
 * @param exchanges  requests that are on their way to an upstream or back
 * @param bansActive bans that hold, as far as the node knows
 * @param policyOk   whether the policy in force is what the tables say
 * @param databaseUp whether the database does all that the node asks of it
 * @param principals who called most in the last second
 * @param tools      what was called most in the last second
 * @param breakers   the breakers that are not closed
 */
public record Sample(
        double requests,
        double admitted,
        double throttled,
        double banned,
        double forbidden,
        int exchanges,
        long bansActive,
        boolean policyOk,
        boolean databaseUp,
        List<OfPrincipal> principals,
        List<OfTool> tools,
        List<Circuit> breakers) {

    /** Calls a second of one principal; refused ones of both kinds are among the throttled. */
    public record OfPrincipal(String principal, double calls, double throttled) {}

    /** Calls a second of one tool. */
    public record OfTool(String route, String tool, double calls, double throttled, double banned) {}

    /**
     * How the breaker of a route stands.
     *
     * @param since     when it came into its state
     * @param nextProbe when the next call may be let through; null unless it is open
     */
    public record Circuit(
            String route,
            String state,
            String since,
            @Nullable String nextProbe) {

        boolean isClosed() {
            return state.equals("closed");
        }
    }

    /** Takes what is missing for empty. */
    @SuppressWarnings("NullAway") // What has been read may lack any member.
    public Sample {
        principals = principals == null ? List.of() : List.copyOf(principals);
        tools = tools == null ? List.of() : List.copyOf(tools);
        breakers = breakers == null ? List.of() : List.copyOf(breakers);
    }
}
