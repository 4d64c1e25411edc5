package dev.weir.limit;

/**
 * What one call takes from one bucket. Made when a policy is compiled and shared by all calls under it, so that a decision
 * makes no objects of its own for it.
 *
 * @param bucket        the bucket, within the caller's own or among the shared ones
 * @param limit         the numbers that the bucket is counted against
 * @param cost          tokens taken, at least 1 and at most the limit's capacity
 * @param cooldownNanos how long the bucket stays shut once it has refused; zero for none
 * @param mode          whether a refusal holds
 * @param label         the name of the limit in answers: a tier's name, or the level's word
 */
public record Take(BucketName bucket, Limit limit, long cost, long cooldownNanos, Mode mode, String label) {

    /** What a refusal by the bucket means. */
    public enum Mode {
        /** The call is refused. */
        ENFORCE,
        /** The call goes on; only told about. */
        SHADOW
    }

    /**
     * @throws IllegalArgumentException naming the value and the rule, if no bucket of this limit could ever give the cost
     */
    public Take {
        if (cost < 1) {
            throw new IllegalArgumentException("cost must be at least 1, not " + cost);
        }
        if (!limit.blocks() && cost > limit.capacity()) {
            throw new IllegalArgumentException("a cost of " + cost + " never fits into a burst of " + limit.capacity());
        }
        if (cooldownNanos < 0) {
            throw new IllegalArgumentException("cool-down must not be negative");
        }
    }
}
