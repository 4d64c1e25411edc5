package dev.weir.policy;

import java.util.List;
import java.util.stream.Collectors;

/** Says that rows do not make a policy, and why: every problem that was found, not only the first. */
public final class PolicyRejectedException extends Exception {

    private final transient List<PolicyProblem> problems;

    PolicyRejectedException(List<PolicyProblem> problems) {
        super(problems.stream().map(PolicyProblem::toString).collect(Collectors.joining("; ")));
        this.problems = List.copyOf(problems);
    }

    /** The problems, at least one. */
    public List<PolicyProblem> problems() {
        return problems;
    }
}
