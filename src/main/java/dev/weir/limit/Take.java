package dev.weir.limit;

/**
 * What one call takes from one bucket. Made when a policy is compiled and shared by all calls under it, so that a decision
 * makes no objects of its own for it.
 *
 * @param bucket the bucket, within the caller's own or among the shared ones
 * @param tier   the limit that the bucket is counted against, and what goes with it
 * @param cost   tokens taken, at least 1 and at most the limit's capacity
 * @param calls  how many calls take them together, each of which is in flight for itself; at least 1
 */
public record Take(BucketName bucket, Tier tier, long cost, int calls) {

    /**
     * @throws IllegalArgumentException naming the value and the rule, if no bucket of this limit could ever give the cost, or if
     *     the tier has what only tools and methods can have
     */
    public Take {
        if (cost < 1) {
            throw new IllegalArgumentException("cost must be at least 1, not " + cost);
        }
        if ((tier.cooldownNanos() > 0 || tier.maxConcurrent() > 0)
                && !bucket.level().ofOneTool()) {
            throw new IllegalArgumentException("a " + bucket.level().word()
                    + " has no cool-down and counts no calls in flight, as the tier [" + tier.name() + "] would");
        }
        if (calls < 1) {
            throw new IllegalArgumentException("calls must be at least 1, not " + calls);
        }
        if (tier.maxConcurrent() > 0 && calls > tier.maxConcurrent()) {
            throw new IllegalArgumentException(
                    calls + " calls at a time are never let into a max_concurrent of " + tier.maxConcurrent());
        }
        Limit limit = tier.limit();
        if (!limit.blocks() && cost > limit.capacity()) {
            throw new IllegalArgumentException("a cost of " + cost + " never fits into a burst of " + limit.capacity());
        }
    }

    /** What one call takes. */
    public Take(BucketName bucket, Tier tier, long cost) {
        this(bucket, tier, cost, 1);
    }

    /** What the calls of this and of another take from the same bucket take together. */
    Take and(Take other) {
        return new Take(bucket, tier, Math.addExact(cost, other.cost), calls + other.calls);
    }

    boolean isShadow() {
        return tier.mode() == Tier.Mode.SHADOW;
    }
}
