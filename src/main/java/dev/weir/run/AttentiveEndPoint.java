package dev.weir.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadPendingException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The server's end of a connection, which can see that the client closes it while no one reads: Jetty itself does not read
 * between a request of HTTP/1.1 and its answer. A client that closes only its own direction counts as gone too.
 *
 * <p>What the client sends ahead meanwhile is not lost: one byte of it is read early and comes first when the next request is
 * read, and until then nothing more is looked at.
 *
 * <p>Safe for use by many threads.
 */
final class AttentiveEndPoint extends SocketChannelEndPoint {

    private static final int NOTHING = -1;

    private final Executor executor;
    private final Watch watch = new Watch();
    private final Object lock = new Object();

    // Guarded by the lock.
    private int early = NOTHING;
    private boolean watching;
    private @Nullable Callback reader;

    AttentiveEndPoint(
            SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler, Executor executor) {
        super(channel, selector, key, scheduler);
        this.executor = executor;
    }

    /** Watches until somebody wants to read. If the client closes before, the connection is closed, and with it the request. */
    void watch() {
        synchronized (lock) {
            if (early == NOTHING && !watching) {
                watching = super.tryFillInterested(watch);
            }
        }
    }

    @Override
    public void fillInterested(Callback callback) {
        if (!tryFillInterested(callback)) {
            throw new ReadPendingException();
        }
    }

    @Override
    public boolean tryFillInterested(Callback callback) {
        synchronized (lock) {
            if (early != NOTHING) {
                executor.execute(callback::succeeded);
                return true;
            }
            if (!watching) {
                return super.tryFillInterested(callback);
            }
            if (reader != null) {
                return false;
            }
            // The watch is what the selector knows, and it passes on what it hears.
            reader = callback;
            return true;
        }
    }

    /** Whether somebody wants to read; the watch does not count, for a connection gives up an exchange that ends while it reads. */
    @Override
    public boolean isFillInterested() {
        synchronized (lock) {
            return watching ? reader != null : super.isFillInterested();
        }
    }

    @Override
    public int fill(ByteBuffer buffer) throws IOException {
        synchronized (lock) {
            if (early == NOTHING || BufferUtil.space(buffer) == 0) {
                return super.fill(buffer);
            }
            int position = BufferUtil.flipToFill(buffer);
            buffer.put((byte) early);
            BufferUtil.flipToFlush(buffer, position);
            early = NOTHING;
            return 1;
        }
    }

    /** Passes on that there is something to read; returns false if nobody wants it and it was the client's end. */
    private boolean pass() throws IOException {
        Callback waiting;
        synchronized (lock) {
            watching = false;
            waiting = reader;
            reader = null;
            // Looked at before the lock is let go: whoever comes to read after that finds the byte.
            if (waiting == null) {
                ByteBuffer one = BufferUtil.allocate(1);
                int filled = super.fill(one);
                if (filled > 0) {
                    early = one.get() & 0xFF;
                } else if (filled == 0) {
                    watch();
                }
                return filled >= 0;
            }
        }
        waiting.succeeded();
        return true;
    }

    private final class Watch implements Callback {

        @Override
        public void succeeded() {
            try {
                if (!pass()) {
                    // The connection, and not only this end of it: it is the connection that fails the request.
                    getConnection().close();
                }
            } catch (IOException e) {
                close(e);
            }
        }

        @Override
        public void failed(Throwable cause) {
            Callback waiting;
            synchronized (lock) {
                watching = false;
                waiting = reader;
                reader = null;
            }
            if (waiting != null) {
                waiting.failed(cause);
            }
        }
    }
}
