package dev.weir.store;

import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyProblem;
import dev.weir.policy.PolicyRejectedException;
import dev.weir.policy.edit.Change;
import dev.weir.policy.edit.EditRefusedException;
import dev.weir.policy.edit.EditRefusedException.Why;
import dev.weir.policy.edit.PolicyDesk;
import dev.weir.policy.edit.TableRow;
import dev.weir.policy.table.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/** Rows of the policy in SQL tables, looked at and changed one by one. Safe for use by many threads. */
public final class JdbcPolicyDesk implements PolicyDesk {

    private static final String BEFORE = "before_the_changes";

    private final Database database;
    private final PolicyBase base;

    /** @param base what stands where no row does, because what is changed has to make a policy with that */
    public JdbcPolicyDesk(Database database, PolicyBase base) {
        this.database = database;
        this.base = base;
    }

    /** @throws JdbiException if the database does not answer */
    @Override
    public List<TableRow> list(Table table, Map<String, Object> columns, @Nullable List<Object> after, int limit) {
        return database.jdbi().withHandle(handle -> PolicySql.list(handle, table, columns, after, limit));
    }

    /** @throws JdbiException if the database does not answer */
    @Override
    public @Nullable TableRow find(Table table, List<Object> key) {
        return database.jdbi().withHandle(handle -> PolicySql.find(handle, table, key, false));
    }

    /** @throws JdbiException if the database does not answer */
    @Override
    public List<@Nullable TableRow> edit(String operator, List<Change> changes) throws EditRefusedException {
        try (Handle handle = database.jdbi().open()) {
            return handle.<List<@Nullable TableRow>, EditRefusedException>inTransaction(
                    TransactionIsolationLevel.READ_COMMITTED, own -> inTheNameOf(operator, own, changes));
        } catch (JdbiException e) {
            if (PolicyFaults.isBusy(e)) {
                throw EditRefusedException.of(
                        Why.BUSY, 0, "Somebody else is changing the same rows; nothing was changed. Try again.");
            }
            throw e;
        }
    }

    private List<@Nullable TableRow> inTheNameOf(String operator, Handle handle, List<Change> changes)
            throws EditRefusedException {
        return database.<List<@Nullable TableRow>, EditRefusedException>as(operator, handle, () -> {
            database.oneEditAtATime(handle);
            return edit(handle, changes);
        });
    }

    private List<@Nullable TableRow> edit(Handle handle, List<Change> changes) throws EditRefusedException {
        handle.savepoint(BEFORE);
        List<@Nullable TableRow> rows = make(handle, changes);
        List<PolicyProblem> problems = problems(handle);
        if (problems.isEmpty()) {
            return rows;
        }
        handle.rollbackToSavepoint(BEFORE);
        List<PolicyProblem> fresh = new ArrayList<>(problems);
        fresh.removeAll(problems(handle));
        if (!fresh.isEmpty()) {
            throw EditRefusedException.of(fresh);
        }
        return make(handle, changes);
    }

    private List<PolicyProblem> problems(Handle handle) {
        try {
            var unused = Policy.compile(JdbcPolicyStore.load(handle), base);
            return List.of();
        } catch (PolicyRejectedException e) {
            return e.problems();
        }
    }

    private static List<@Nullable TableRow> make(Handle handle, List<Change> changes) throws EditRefusedException {
        List<@Nullable TableRow> rows = new ArrayList<>();
        for (Change change : changes) {
            try {
                rows.add(make(handle, change, rows.size()));
            } catch (JdbiException e) {
                throw PolicyFaults.of(e, change, rows.size());
            }
        }
        return rows;
    }

    private static @Nullable TableRow make(Handle handle, Change change, int place) throws EditRefusedException {
        Table table = change.table();
        TableRow row = PolicySql.find(handle, table, change.key(), true);
        if (change.kind() == Change.Kind.CREATE) {
            if (row != null) {
                throw EditRefusedException.of(Why.EXISTS, place, "There is a row " + change.label() + " already.");
            }
            PolicySql.insert(handle, table, change.values());
            return PolicySql.find(handle, table, change.key(), false);
        }
        if (row == null) {
            throw EditRefusedException.of(Why.MISSING, place, "There is no row " + change.label() + ".");
        }
        if (!change.matches().test(row.tag())) {
            throw EditRefusedException.of(
                    Why.CHANGED, place, "Somebody has changed " + change.label() + " meanwhile; nothing was changed.");
        }
        if (change.kind() == Change.Kind.DELETE) {
            String users = PolicyUses.of(handle, table, change.key());
            if (users != null) {
                throw EditRefusedException.of(Why.IN_USE, place, change.label() + " is still used by " + users + ".");
            }
            PolicySql.delete(handle, table, change.key());
            return null;
        }
        List<Table.Fault> faults = table.faults(PolicySql.merged(row, change.values()));
        if (!faults.isEmpty()) {
            throw EditRefusedException.of(
                    place,
                    new EditRefusedException.Fault(
                            faults.get(0).column(), faults.get(0).rule()));
        }
        PolicySql.update(handle, table, change.key(), change.values());
        return PolicySql.find(handle, table, change.key(), false);
    }
}
