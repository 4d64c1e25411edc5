package dev.weir.admin;

import dev.weir.policy.PolicyProblem;
import dev.weir.policy.edit.Change;
import dev.weir.policy.edit.EditRefusedException;
import dev.weir.policy.edit.PolicyDesk;
import dev.weir.policy.edit.TableRow;
import dev.weir.policy.table.Column;
import dev.weir.policy.table.Table;
import dev.weir.rest.Operator;
import dev.weir.rest.Problem;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes rows of the policy, puts them in force, and says why if that cannot be. */
final class Edits {

    private static final int MOST_SHOWN = 100;

    private final PolicyDesk desk;
    private final Runnable inForce;

    /** @param inForce reads the policy again; never throws */
    Edits(PolicyDesk desk, Runnable inForce) {
        this.desk = desk;
        this.inForce = inForce;
    }

    /**
     * Makes one change, which is in force when this returns.
     *
     * @return the row as it is then; null if it is gone
     */
    @Nullable
    TableRow make(Operator operator, Change change) throws Problem {
        return make(operator, List.of(change), "").get(0);
    }

    /**
     * Makes several, all or none.
     *
     * @param prefix what stands before the names of columns where one is told of, with {@code #} for the change's place
     */
    List<@Nullable TableRow> make(Operator operator, List<Change> changes, String prefix) throws Problem {
        List<@Nullable TableRow> rows;
        try {
            rows = desk.edit(operator.name(), changes);
        } catch (EditRefusedException e) {
            throw problem(e, changes, prefix);
        }
        inForce.run();
        return rows;
    }

    private static Problem problem(EditRefusedException refused, List<Change> changes, String prefix) {
        String why = String.valueOf(refused.getMessage());
        return switch (refused.why()) {
            case MISSING -> Problem.of(404, "not_found", why);
            case EXISTS -> Problem.of(409, "exists", why);
            case IN_USE -> Problem.of(409, "in_use", why);
            case CHANGED -> Problem.of(412, "changed_meanwhile", why + " Read it again.");
            case BUSY -> Problem.of(503, "busy", why).with("Retry-After", "1");
            case UNUSABLE -> {
                Change change = changes.get(refused.change());
                String at = prefix.replace("#", Integer.toString(refused.change()));
                yield Problem.faulty(
                        422,
                        "not_valid",
                        refused.faults().stream()
                                .map(fault -> new Problem.Fault(
                                        at + fault.column(), value(change, fault.column()), fault.rule()))
                                .toList());
            }
            case NO_POLICY -> {
                boolean deletes = changes.stream().allMatch(one -> one.kind() == Change.Kind.DELETE);
                yield Problem.faulty(
                        deletes ? 409 : 422,
                        "no_policy",
                        refused.problems().stream()
                                .map(problem -> fault(problem, changes))
                                .toList());
            }
        };
    }

    private static Problem.Fault fault(PolicyProblem problem, List<Change> changes) {
        Change change = changes.get(0);
        if (changes.size() == 1 && change.table().name().equals(problem.table())) {
            String first = problem.rule().split(" ", 2)[0];
            String column = change.values().containsKey(first) ? first : "content";
            if (change.values().containsKey(column)) {
                String rule = column.equals(first)
                        ? problem.rule().substring(first.length() + 1)
                        : "is not usable: " + problem.rule();
                return new Problem.Fault(column, value(change, column), rule);
            }
        }
        return new Problem.Fault(problem.table() + " [" + problem.row() + "]", null, problem.rule());
    }

    private static @Nullable String value(Change change, String name) {
        Column column = change.table().column(name);
        Object value = change.values().get(name);
        if (value == null || (column != null && column.secret())) {
            return null;
        }
        String text = value.toString();
        return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN - 1) + "…";
    }

    /** A change that makes a row. */
    static Change create(Table table, Map<String, @Nullable Object> values) {
        return Change.create(table, values);
    }
}
