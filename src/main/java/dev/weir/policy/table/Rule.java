package dev.weir.policy.table;

import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the columns of one row must be to each other.
 *
 * @param constraint its name in the database
 * @param column     the one that is told of
 * @param words      the rule as a sentence that begins after the column's name
 * @param holds      whether it holds for a row, of which all columns are known that are not made by the database
 */
public record Rule(String constraint, String column, String words, Predicate<Map<String, @Nullable Object>> holds) {}
