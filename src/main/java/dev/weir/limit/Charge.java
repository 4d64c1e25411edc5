package dev.weir.limit;

import java.util.Comparator;
import java.util.List;

/**
 * All that one call takes: from each bucket at most once, the narrowest first. An empty charge is never refused.
 *
 * @param takes the takes, in the order of their levels
 */
public record Charge(List<Take> takes) {

    /** A charge that takes nothing. */
    public static final Charge NOTHING = new Charge(List.of());

    public Charge {
        takes = takes.stream()
                .sorted(Comparator.comparing(take -> take.bucket().level()))
                .toList();
    }
}
