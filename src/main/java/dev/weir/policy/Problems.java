package dev.weir.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is wrong with rows, collected while they are compiled. For one compilation by one thread. */
final class Problems {

    private final List<PolicyProblem> all = new ArrayList<>();

    List<PolicyProblem> all() {
        return all;
    }

    void add(String table, String row, String rule) {
        all.add(new PolicyProblem(table, row, rule));
    }

    /** What a step makes of a row; null, and a problem more, if the row breaks a rule. */
    <T> @Nullable T check(String table, String row, Supplier<T> step) {
        try {
            return step.get();
        } catch (IllegalArgumentException e) {
            add(table, row, String.valueOf(e.getMessage()));
            return null;
        }
    }
}
