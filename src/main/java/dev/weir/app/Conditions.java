package dev.weir.app;

import dev.weir.alert.AlertState;
import dev.weir.policy.PolicyProblem;
import dev.weir.proxy.Exchanges;
import dev.weir.upstream.Breaker;
import dev.weir.upstream.Targets;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How it stands with everything that a node works with, from memory: told by those who work with it, so that whoever asks waits for
 * nobody. Safe for use by many threads.
 */
final class Conditions {

    /**
     * How the breaker of a route stands.
     *
     * @param since     when it came into its state
     * @param nextProbe when the next call may be let through; null unless it is open
     */
    record Circuit(
            String route,
            Breaker.State state,
            Instant since,
            @Nullable Instant nextProbe) {}

    private final PolicyKeeper keeper;
    private final DatabaseWatch database;
    private final WayOut out;
    private volatile @Nullable IssuerLink issuer;
    private volatile @Nullable AlertLink alerts;

    Conditions(PolicyKeeper keeper, DatabaseWatch database, WayOut out) {
        this.keeper = keeper;
        this.database = database;
        this.out = out;
    }

    /** Adds how it stands with the authorization server. */
    void add(IssuerLink link) {
        issuer = link;
    }

    /** Adds how it stands with the receivers of alerts. */
    void add(AlertLink link) {
        alerts = link;
    }

    DatabaseWatch database() {
        return database;
    }

    Exchanges exchanges() {
        return out.exchanges();
    }

    /** Whether a policy of the tables has been in force since the start. */
    boolean isPolicyLoaded() {
        return keeper.isLoaded();
    }

    /** Why the rows that stand in the tables now make no policy; empty if they do. */
    List<PolicyProblem> policyProblems() {
        return keeper.problems();
    }

    /** Whether the policy in force is what the tables say. */
    boolean isPolicyOk() {
        return keeper.isLoaded() && keeper.problems().isEmpty();
    }

    /** Whether requests can be served: the tables' policy, the buckets and the bans of before are in memory. */
    boolean isReady() {
        return database.missing() == null && keeper.isLoaded();
    }

    boolean isStopping() {
        return out.stop().hasBegun();
    }

    /** How the breakers stand, in the order of their routes. */
    List<Circuit> circuits() {
        return new TreeMap<>(out.routes().breakers())
                .entrySet().stream()
                        .map(each -> circuit(each.getKey(), each.getValue().standing()))
                        .toList();
    }

    private static Circuit circuit(String route, Breaker.Standing standing) {
        Instant next = standing.state() == Breaker.State.OPEN ? standing.until() : null;
        return new Circuit(route, standing.state(), standing.since(), next);
    }

    /** How the targets are, in the order of routes and addresses. */
    List<Targets.State> targets() {
        return out.targets().states();
    }

    /** How it stands with the issuer of tokens, in one word; null if there is none. */
    @Nullable
    String issuer() {
        IssuerLink link = issuer;
        return link == null ? null : link.state();
    }

    /** Whether the issuer of tokens does not tell its keys now. */
    boolean isIssuerAway() {
        IssuerLink link = issuer;
        return link != null && link.isAway();
    }

    /** How it stands with the receivers of alerts. */
    List<AlertState> receivers() {
        AlertLink link = alerts;
        return link == null ? List.of() : link.states();
    }
}
