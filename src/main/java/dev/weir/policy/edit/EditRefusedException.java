package dev.weir.policy.edit;

import dev.weir.policy.PolicyProblem;
import java.util.List;
import java.util.stream.Collectors;

/** Says that changes were not made, none of them, and why. */
public final class EditRefusedException extends Exception {

    /** Why. */
    public enum Why {
        /** There is no row of this key. */
        MISSING,
        /** There is a row of this key already. */
        EXISTS,
        /** Somebody else has changed the row meanwhile. */
        CHANGED,
        /** Other rows refer to the row. */
        IN_USE,
        /** Values that are not usable. */
        UNUSABLE,
        /** With the changes the rows would make no policy. */
        NO_POLICY,
        /** Somebody else holds the rows for longer than is waited. */
        BUSY
    }

    /**
     * What is wrong with a value.
     *
     * @param column where it stands; empty if it is about the row as a whole
     * @param rule   what it breaks, as a sentence that begins after the column's name
     */
    public record Fault(String column, String rule) {}

    private final Why why;
    private final int change;
    private final transient List<Fault> faults;
    private final transient List<PolicyProblem> problems;

    private EditRefusedException(
            Why why, int change, String message, List<Fault> faults, List<PolicyProblem> problems) {
        super(message);
        this.why = why;
        this.change = change;
        this.faults = List.copyOf(faults);
        this.problems = List.copyOf(problems);
    }

    /**
     * One change cannot be made.
     *
     * @param change its place among those that were to be made
     */
    public static EditRefusedException of(Why why, int change, String message) {
        return new EditRefusedException(why, change, message, List.of(), List.of());
    }

    /** One change cannot be made because of a value. */
    public static EditRefusedException of(int change, Fault fault) {
        String message = (fault.column() + " " + fault.rule()).strip();
        return new EditRefusedException(Why.UNUSABLE, change, message, List.of(fault), List.of());
    }

    /** All changes together would make problems. */
    public static EditRefusedException of(List<PolicyProblem> problems) {
        String message = problems.stream().map(PolicyProblem::toString).collect(Collectors.joining("; "));
        return new EditRefusedException(Why.NO_POLICY, 0, message, List.of(), problems);
    }

    /** Why nothing was changed. */
    public Why why() {
        return why;
    }

    /** The place of the change that cannot be made; of no account with {@link Why#NO_POLICY} and {@link Why#BUSY}. */
    public int change() {
        return change;
    }

    /** What is wrong with values. */
    public List<Fault> faults() {
        return faults;
    }

    /** What the policy would be rejected for. */
    public List<PolicyProblem> problems() {
        return problems;
    }
}
