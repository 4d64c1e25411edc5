package dev.weir.policy.table;

import java.math.BigDecimal;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a rate and a burst must be to each other, wherever they stand. */
final class LimitRules {

    static final String RATE = "rate_per_second";
    static final String BURST = "burst";

    /** The greatest rate. */
    static final long MAX_RATE = 1_000_000;

    /** So many seconds are about 70 years. */
    private static final BigDecimal LONGEST_FILL = BigDecimal.valueOf(2_305_843_009L);

    private LimitRules() {}

    /** The rules of a table, whose constraints begin with its name. */
    static Rule[] of(String table) {
        return new Rule[] {
            new Rule(
                    table + "_burst_0_only_with_rate_0",
                    BURST,
                    "must be at least 1 where rate_per_second is above 0 (a rate of 0 blocks)",
                    row -> !isAbove0(row) || !Long.valueOf(0).equals(row.get(BURST))),
            new Rule(
                    table + "_burst_must_fill_in_70_years",
                    BURST,
                    "must not take longer than 70 years to fill at this rate_per_second",
                    LimitRules::fills)
        };
    }

    private static boolean isAbove0(Map<String, @Nullable Object> row) {
        return row.get(RATE) instanceof BigDecimal rate && rate.signum() > 0;
    }

    private static boolean fills(Map<String, @Nullable Object> row) {
        return !isAbove0(row)
                || !(row.get(BURST) instanceof Long burst)
                || !(row.get(RATE) instanceof BigDecimal rate)
                || BigDecimal.valueOf(burst).compareTo(rate.multiply(LONGEST_FILL)) <= 0;
    }
}
