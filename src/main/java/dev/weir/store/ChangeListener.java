package dev.weir.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears from PostgreSQL of every committed change of the policy or the bans, whoever made it, and says so. Says it too whenever
 * it has found the server again, because what happened meanwhile was told to nobody.
 *
 * <p>Has a connection of its own. One that is lost is opened again, after a pause that grows while that fails; so is one that
 * has gone silent, which shows in that the server does not answer a question.
 *
 * <p>The thread is handed in: somebody runs this once, and ends it by {@link #stop}. The other methods are safe for use by many
 * threads.
 *
 * @see <a href="https://www.postgresql.org/docs/current/sql-notify.html">PostgreSQL, NOTIFY</a>
 */
public final class ChangeListener implements Runnable {

    /** Opens a connection. */
    interface Connector {

        Connection connect() throws SQLException;
    }

    private static final Logger log = LoggerFactory.getLogger(ChangeListener.class);
    private static final String CHANNEL = "weir";

    /** How long one wait for a notification is, and so how long {@link #stop} may take to be seen. */
    private static final int TURN_MILLIS = 250;

    private static final int SILENT_TURNS = 2;
    private static final int ANSWER_SECONDS = 1;

    /** Between two readings, so that a stream of changes is not a stream of readings. */
    private static final long GAP_MILLIS = 100;

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;

    private final Connector connector;
    private final Runnable changed;
    private final CountDownLatch stop = new CountDownLatch(1);
    private volatile boolean listening;

    /** Whether the loss of the server has been told of. Used by the running thread only. */
    private boolean lost;

    ChangeListener(Connector connector, Runnable changed) {
        this.connector = connector;
        this.changed = changed;
    }

    /** Whether changes are heard of now, as far as is known. */
    public boolean isListening() {
        return listening;
    }

    /** Ends the run, a moment later. */
    public void stop() {
        stop.countDown();
    }

    /** Listens until {@link #stop}. */
    @Override
    public void run() {
        long pause = 0;
        while (!isStopped(pause)) {
            boolean proven = listen();
            pause = proven
                    ? FIRST_PAUSE_MILLIS
                    : Math.min(Math.max(2 * pause, FIRST_PAUSE_MILLIS), LONGEST_PAUSE_MILLIS);
        }
    }

    /** Listens on a new connection until it is lost; answers whether it was of any use. */
    private boolean listen() {
        boolean proven = false;
        try (Connection connection = connector.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("LISTEN " + CHANNEL);
            PGConnection server = connection.unwrap(PGConnection.class);
            tell();
            int silent = 0;
            while (!isStopped(0)) {
                if (server.getNotifications(TURN_MILLIS).length > 0) {
                    tell();
                    silent = 0;
                } else if (++silent >= SILENT_TURNS) {
                    if (!connection.isValid(ANSWER_SECONDS)) {
                        throw new SQLException("the server does not answer");
                    }
                    silent = 0;
                    proven = true;
                    found();
                }
            }
        } catch (SQLException e) {
            lost(e);
        } finally {
            listening = false;
        }
        return proven;
    }

    private void tell() {
        listening = true;
        changed.run();
        isStopped(GAP_MILLIS);
    }

    private boolean isStopped(long afterMillis) {
        try {
            return stop.await(afterMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            stop.countDown();
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void lost(SQLException e) {
        if (!lost) {
            log.atWarn().addKeyValue("reason", DatabaseKind.reason(e)).log("change_listener_lost");
        }
        lost = true;
    }

    private void found() {
        if (lost) {
            log.atInfo().log("change_listener_back");
        }
        lost = false;
    }
}
