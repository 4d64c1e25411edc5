package dev.weir.app;

import dev.weir.admin.PolicyOperations;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyBook;
import dev.weir.rest.Operation;
import dev.weir.store.Database;
import dev.weir.store.JdbcPolicyDesk;
import java.util.ArrayList;
import java.util.List;

/** What operators can ask, put together out of what there is. */
final class AdminWork {

    private final List<Operation> all = new ArrayList<>();

    /**
     * Adds reading and editing the policy.
     *
     * @param base   what the settings say
     * @param reread reads the policy again
     */
    AdminWork addPolicy(Database database, PolicyBook policies, PolicyBase base, Runnable reread) {
        return add(new PolicyOperations(new JdbcPolicyDesk(database, base), base, policies, reread).all());
    }

    /** Adds what is put together elsewhere. */
    AdminWork add(List<Operation> operations) {
        all.addAll(operations);
        return this;
    }

    /** All of them. */
    List<Operation> all() {
        return List.copyOf(all);
    }
}
