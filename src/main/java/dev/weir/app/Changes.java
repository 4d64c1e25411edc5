package dev.weir.app;

import dev.weir.store.ChangeListener;
import dev.weir.store.Database;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads policy and bans again as soon as the database tells of a change, if it does. Looking now and then goes on beside this. */
final class Changes implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final @Nullable ChangeListener listener;
    private final @Nullable Thread thread;

    private Changes(@Nullable ChangeListener listener, @Nullable Thread thread) {
        this.listener = listener;
        this.thread = thread;
    }

    /** @param refresh reads policy and bans; never throws */
    static Changes listen(Database database, Runnable refresh) {
        Optional<ChangeListener> listener = database.listener(refresh);
        if (listener.isEmpty()) {
            return new Changes(null, null);
        }
        Thread thread = new Thread(listener.get(), "weir-listener");
        thread.setDaemon(true);
        thread.start();
        return new Changes(listener.get(), thread);
    }

    /** Ends the listening, and waits for a reading that is under way. */
    @Override
    public void close() {
        if (listener != null && thread != null) {
            listener.stop();
            try {
                thread.join(PATIENCE.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
