package dev.weir.upstream;

/**
 * One call that a {@link Breaker} has let through, which makes one success or one failure of what it is told, or neither.
 *
 * <ul>
 *   <li>A status of 500 and more is a failure, one of 300 to 499 is none, whatever becomes of the body: these depend on what was asked.
 *   <li>Any other answer counts when it is whole. The permit to probe goes back sooner, with the head, where the answer is streamed,
 *       because its end depends on a client then.
 *   <li>An answer that is meant to stay open counts as a success with its head, and as one failure more if it breaks.
 * </ul>
 */
public final class BreakerCall implements CallWatch {

    private final Breaker breaker;
    private final int turn;
    private final boolean longLived;
    private final long startedAt;

    // Each told by one at a time.
    private long headAfter = -1;
    private boolean settled;
    private boolean mayBreak;

    /**
     * @param turn      the breaker's turn in which the call was let through
     * @param startedAt on the breaker's clock
     */
    BreakerCall(Breaker breaker, int turn, boolean longLived, long startedAt) {
        this.breaker = breaker;
        this.turn = turn;
        this.longLived = longLived;
        this.startedAt = startedAt;
    }

    /** Which of the times between two changes of the breaker's state it was let through in. */
    int turn() {
        return turn;
    }

    /** When it was let through, on the breaker's clock. */
    long startedAt() {
        return startedAt;
    }

    @Override
    public void answering(int status) {
        headAfter = breaker.nanos() - startedAt;
        settled = status >= 300;
        if (status >= 500) {
            breaker.failed(this, headAfter, "the upstream answered " + status);
        } else if (status >= 300) {
            breaker.succeeded(this, headAfter);
        }
    }

    @Override
    public void streaming() {
        if (!settled && (longLived || breaker.isHalfOpen())) {
            settled = true;
            mayBreak = true;
            breaker.succeeded(this, headAfter);
        }
    }

    @Override
    public void answered() {
        if (!settled) {
            settled = true;
            breaker.succeeded(this, headAfter);
        }
    }

    @Override
    public void failed(String why) {
        if (!settled) {
            settled = true;
            breaker.failed(this, headAfter >= 0 ? headAfter : breaker.nanos() - startedAt, why);
        } else if (mayBreak) {
            breaker.broke(this, why);
        }
    }

    @Override
    public void left() {
        if (!settled) {
            settled = true;
            breaker.left(this);
        }
    }
}
