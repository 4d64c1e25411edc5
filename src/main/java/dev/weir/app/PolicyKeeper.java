package dev.weir.app;

import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.PolicyProblem;
import dev.weir.policy.PolicyRejectedException;
import dev.weir.policy.PolicyRows;
import dev.weir.policy.PolicyStore;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the policy in force equal to what the tables say. Reads them again and again; rows that make no policy leave the last
 * good one in force and are told of once, for as long as they stand.
 *
 * <p>{@link #refresh} is called by one thread at a time; the rest is safe for use by many.
 */
final class PolicyKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(PolicyKeeper.class);

    private final PolicyStore store;
    private final PolicyBase base;
    private final PolicyBook book;
    private final PolicyWatch watch;
    private @Nullable PolicyRows seen;
    private volatile boolean loaded;
    private volatile List<PolicyProblem> problems = List.of();

    /** @param watch is told of rows that make no policy, and that they make one again */
    PolicyKeeper(PolicyStore store, PolicyBase base, PolicyBook book, PolicyWatch watch) {
        this.store = store;
        this.base = base;
        this.book = book;
        this.watch = watch;
    }

    /** Looks whether the tables have changed, and if so puts their policy in force. Waits for the store. */
    void refresh() {
        PolicyRows rows = store.load();
        if (rows.equals(seen)) {
            return;
        }
        seen = rows;
        try {
            Policy policy = Policy.compile(rows, base);
            book.replace(policy);
            boolean again = !problems.isEmpty();
            problems = List.of();
            loaded = true;
            LOG.atInfo()
                    .addKeyValue("routes", policy.routes().size())
                    .addKeyValue("tools", rows.tools().size())
                    .addKeyValue("clients", rows.clients().size())
                    .log("policy_loaded");
            if (again) {
                watch.accepted();
            }
        } catch (PolicyRejectedException e) {
            problems = e.problems();
            for (PolicyProblem problem : e.problems()) {
                LOG.atError()
                        .addKeyValue("table", problem.table())
                        .addKeyValue("row", problem.row())
                        .addKeyValue("rule", problem.rule())
                        .log("policy_rejected");
            }
            watch.rejected(e.problems());
        }
    }

    /** Whether a policy of the tables has been in force since the start. */
    boolean isLoaded() {
        return loaded;
    }

    /** Why the rows that stand in the tables now make no policy; empty if they do. */
    List<PolicyProblem> problems() {
        return problems;
    }
}
