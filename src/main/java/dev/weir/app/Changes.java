package dev.weir.app;

import dev.weir.store.ChangeListener;
import dev.weir.store.Database;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads policy and bans again as soon as the database tells of a change, if it does. Looking now and then goes on beside this. */
final class Changes implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Whether changes are told of. */
    enum State {
        /** This kind of database tells of none. */
        NONE,
        LISTENING,
        LOST
    }

    private final @Nullable ChangeListener listener;
    private volatile @Nullable Thread thread;

    /** @param refresh reads policy and bans; never throws */
    Changes(Database database, Runnable refresh) {
        listener = database.listener(refresh).orElse(null);
    }

    /** Begins to listen, on a thread of its own. */
    void start() {
        if (listener != null) {
            Thread listening = new Thread(listener, "weir-listener");
            listening.setDaemon(true);
            listening.start();
            thread = listening;
        }
    }

    /** How it is now, as far as is known. */
    State state() {
        if (listener == null) {
            return State.NONE;
        }
        return listener.isListening() ? State.LISTENING : State.LOST;
    }

    /** Ends the listening, and waits for a reading that is under way. */
    @Override
    public void close() {
        if (listener != null) {
            listener.stop();
        }
        Thread listening = thread;
        if (listening != null) {
            try {
                listening.join(PATIENCE.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
