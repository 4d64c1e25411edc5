package dev.weir.limit;

/** One bucket with nothing around it, for the benchmarks: the take itself is not to be seen from outside this room. */
public final class BareBucket {

    private final Limit limit;
    private final TokenBucket bucket;

    /** @param limit what the bucket is counted against */
    public BareBucket(Limit limit) {
        this.limit = limit;
        this.bucket = TokenBucket.of(new BucketName(Level.TOOL, "/mcp", "tool"), limit, 0, 0, System.nanoTime());
    }

    /** Takes one token, the clock's reading included; true if it was there. */
    public boolean take() {
        return bucket.take(1, limit, 0, System.nanoTime()) == 0;
    }
}
