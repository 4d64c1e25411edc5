package dev.weir.store;

import dev.weir.policy.edit.Change;
import dev.weir.policy.edit.EditRefusedException;
import dev.weir.policy.edit.EditRefusedException.Fault;
import dev.weir.policy.edit.EditRefusedException.Why;
import dev.weir.policy.table.Reference;
import dev.weir.policy.table.Rule;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.h2.api.ErrorCode;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What the database says of a change that it refuses, put into words. */
final class PolicyFaults {

    /** SQLSTATEs of both kinds: not done because others hold a lock. */
    private static final Set<String> BUSY = Set.of("55P03", "40P01", "40001", "HYT00");

    private static final String UNIQUE = "23505";

    private PolicyFaults() {}

    /** Whether somebody else holds what is needed. */
    static boolean isBusy(Throwable failure) {
        SQLException cause = cause(failure);
        return cause != null
                && (BUSY.contains(String.valueOf(cause.getSQLState()))
                        || cause.getErrorCode() == ErrorCode.LOCK_TIMEOUT_1
                        || cause.getErrorCode() == ErrorCode.DEADLOCK_1);
    }

    /**
     * Why a change was refused.
     *
     * @param place its place among those that were to be made
     * @throws JdbiException the failure itself, if it is no refusal
     */
    static EditRefusedException of(JdbiException failure, Change change, int place) {
        SQLException cause = cause(failure);
        String state = cause == null ? "" : String.valueOf(cause.getSQLState());
        if (cause == null || isBusy(failure) || !(state.startsWith("22") || state.startsWith("23"))) {
            throw failure;
        }
        if (state.equals(UNIQUE)) {
            return EditRefusedException.of(
                    Why.EXISTS,
                    place,
                    "There is such a row of " + change.table().name() + " already.");
        }
        String said = constraint(cause);
        for (Reference reference : change.table().references()) {
            if (said.contains(reference.constraint())) {
                return EditRefusedException.of(place, missing(reference, change));
            }
        }
        for (Rule rule : change.table().rules()) {
            if (said.contains(rule.constraint())) {
                return EditRefusedException.of(place, new Fault(rule.column(), rule.words()));
            }
        }
        return change.kind() == Change.Kind.DELETE
                ? EditRefusedException.of(
                        Why.IN_USE, place, "Other rows refer to this one: " + Database.reason(failure))
                : EditRefusedException.of(place, new Fault("", "is refused: " + Database.reason(failure)));
    }

    private static Fault missing(Reference reference, Change change) {
        List<String> columns = reference.columns();
        String named = columns.stream()
                .map(column -> String.valueOf(value(change, column)))
                .collect(Collectors.joining(" "));
        return new Fault(
                columns.get(columns.size() - 1),
                "names a " + reference.table() + " that is not there: there is no " + reference.table() + " [" + named
                        + "]");
    }

    private static @Nullable Object value(Change change, String column) {
        if (change.values().containsKey(column)) {
            return change.values().get(column);
        }
        List<String> key = change.table().key().stream().map(one -> one.name()).toList();
        int place = key.indexOf(column);
        return place < 0 ? null : change.key().get(place);
    }

    /** The name of the constraint that was broken, or a text with it. */
    private static String constraint(SQLException failure) {
        if (failure instanceof PSQLException postgres) {
            ServerErrorMessage message = postgres.getServerErrorMessage();
            return message == null ? "" : Objects.requireNonNullElse(message.getConstraint(), "");
        }
        return String.valueOf(failure.getMessage());
    }

    private static @Nullable SQLException cause(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql) {
                return sql;
            }
        }
        return null;
    }
}
