package dev.weir.policy;

/**
 * Why rows do not make a policy.
 *
 * @param table the table that the row stands in
 * @param row   what names the row
 * @param rule  what is wrong with it: the value and the rule that it breaks
 */
public record PolicyProblem(String table, String row, String rule) {

    @Override
    public String toString() {
        return "table " + table + ", row [" + row + "]: " + rule;
    }
}
