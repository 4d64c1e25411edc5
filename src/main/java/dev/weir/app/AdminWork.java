package dev.weir.app;

import dev.weir.admin.BanOperations;
import dev.weir.admin.EventOperations;
import dev.weir.admin.Exports;
import dev.weir.admin.HistoryOperations;
import dev.weir.admin.PolicyOperations;
import dev.weir.ban.BanBook;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyBook;
import dev.weir.rest.Operation;
import dev.weir.store.Database;
import dev.weir.store.JdbcAdminEvents;
import dev.weir.store.JdbcBanArchive;
import dev.weir.store.JdbcPolicyDesk;
import dev.weir.store.JdbcThrottleArchive;
import java.time.Clock;
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

    /** Adds bans, the history of throttles, and who has changed what. */
    AdminWork addHistory(Database database, BanBook bans, PolicyBook policies, Clock clock) {
        Exports exports = new Exports(clock);
        add(new BanOperations(bans, new JdbcBanArchive(database), policies, exports, clock).all());
        add(new HistoryOperations(new JdbcThrottleArchive(database), exports).all());
        return add(new EventOperations(new JdbcAdminEvents(database), exports).all());
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
