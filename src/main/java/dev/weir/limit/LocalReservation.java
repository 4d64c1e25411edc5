package dev.weir.limit;

import java.util.concurrent.atomic.AtomicBoolean;

/** A reservation in the buckets of this process. */
final class LocalReservation implements Reservation {

    private final long waitNanos;
    private final Runnable leave;
    private final Runnable undo;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param leave gives the slot back
     * @param undo  gives slot and tokens back
     */
    LocalReservation(long waitNanos, Runnable leave, Runnable undo) {
        this.waitNanos = waitNanos;
        this.leave = leave;
        this.undo = undo;
    }

    @Override
    public long waitNanos() {
        return waitNanos;
    }

    @Override
    public void release() {
        end(leave);
    }

    @Override
    public void cancel() {
        end(undo);
    }

    private void end(Runnable how) {
        if (ended.compareAndSet(false, true)) {
            how.run();
        }
    }
}
