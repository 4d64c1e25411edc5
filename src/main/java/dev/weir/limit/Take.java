package dev.weir.limit;

/**
 * What one call takes from one bucket. Made when a policy is compiled and shared by all calls under it, so that a decision
 * makes no objects of its own for it.
 *
 * @param bucket the bucket, within the caller's own or among the shared ones
 * @param tier   the limit that the bucket is counted against, and what goes with it
 * @param cost   tokens taken, at least 1 and at most the limit's capacity
 */
public record Take(BucketName bucket, Tier tier, long cost) {

    /**
     * @throws IllegalArgumentException naming the value and the rule, if no bucket of this limit could ever give the cost
     */
    public Take {
        if (cost < 1) {
            throw new IllegalArgumentException("cost must be at least 1, not " + cost);
        }
        Limit limit = tier.limit();
        if (!limit.blocks() && cost > limit.capacity()) {
            throw new IllegalArgumentException("a cost of " + cost + " never fits into a burst of " + limit.capacity());
        }
    }

    boolean isShadow() {
        return tier.mode() == Tier.Mode.SHADOW;
    }
}
