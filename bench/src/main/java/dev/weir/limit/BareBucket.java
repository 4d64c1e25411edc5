package dev.weir.limit;

/** One bucket with nothing around it, for the benchmarks: the take itself is not to be seen from outside this room. */
public final class BareBucket {

    private final TokenBucket bucket =
            new TokenBucket(new BucketName(Level.TOOL, "/mcp", "tool"), 0, 0, System::nanoTime);
    private final Limit limit;

    /** @param limit what the bucket is counted against */
    public BareBucket(Limit limit) {
        this.limit = limit;
    }

    /** Takes one token, the clock's reading included; true if it was there. */
    public boolean take() {
        return bucket.take(1, limit, System::nanoTime) == TokenBucket.TAKEN;
    }
}
