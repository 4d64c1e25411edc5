package dev.weir.limit;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All that one call takes: from each bucket at most once, the narrowest first. An empty charge is never refused. Immutable. */
public final class Charge {

    /** A charge that takes nothing. */
    public static final Charge NOTHING = new Charge(List.of());

    private final Take[] takes;

    /** @param takes in any order; of tiers that are {@link Tier.Mode#OFF} nothing is taken */
    public Charge(List<Take> takes) {
        this.takes = takes.stream()
                .filter(take -> take.tier().mode() != Tier.Mode.OFF)
                .sorted(Comparator.comparing(take -> take.bucket().level()))
                .toArray(Take[]::new);
    }

    /**
     * What several calls take together, all or none of them.
     *
     * @throws IllegalArgumentException naming the value and the rule, if they could never be admitted together
     */
    public static Charge together(List<Charge> charges) {
        Map<BucketName, Take> sums = new LinkedHashMap<>();
        charges.forEach(charge -> charge.takes().forEach(take -> sums.merge(take.bucket(), take, Take::and)));
        return new Charge(List.copyOf(sums.values()));
    }

    /** The takes, in the order of their levels. */
    public List<Take> takes() {
        return List.of(takes);
    }

    /** The takes themselves, for those who count without making objects. Not to be written to. */
    Take[] array() {
        return takes;
    }
}
