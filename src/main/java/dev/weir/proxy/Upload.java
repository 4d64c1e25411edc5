package dev.weir.proxy;

import dev.weir.upstream.RequestBody;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The body of one request on its way up. One piece is held at a time; the next is read from the client when the upstream has
 * taken this one, so an upstream that does not read stops the client. Nothing here blocks.
 *
 * <p>When nobody wants it any more, what still comes is thrown away, within a bound: a client that is in the middle of sending
 * may lose an answer that is given before it is done.
 *
 * <p>Safe for use by many threads.
 */
final class Upload implements RequestBody, ReadListener {

    /*
     * The container's threads and the upstream's meet in drain(), as they do in Downstream: whoever finds nobody in there does
     * the work, and all others leave a mark and go.
     */

    /** What the owner of the exchange is told. */
    interface Owner {

        /** Bytes have come from the client, or have gone to the upstream. */
        void onUploadMoved();

        /** There are more bytes than are let through. */
        void onTooLarge();

        /** The client has broken off in the middle. */
        void onBrokenUpload(Throwable cause);
    }

    private static final int PIECE = 16 * 1024;

    /** How much of a body that nobody wants is read for the sake of its sender. */
    private static final long MAX_DISCARDED = 64L << 20;

    private final ServletInputStream in;
    private final long length;
    private final long maxBytes;
    private final boolean invited;

    private final AtomicInteger work = new AtomicInteger();
    private final AtomicReference<@Nullable Runnable> atEnd = new AtomicReference<>();
    private volatile @Nullable Owner owner;
    private volatile @Nullable Sink sink;
    private volatile boolean outstanding;

    // The marks.
    private volatile boolean allRead;
    private volatile boolean discarding;
    private volatile boolean quitting;
    private volatile @Nullable Throwable broken;

    /** Set while the container has been asked to say when there is more. */
    private volatile boolean asked = true;

    // Written by whoever drains.
    private volatile boolean over;
    private byte[] buffer = new byte[0];
    private long received;
    private long discarded;

    /**
     * @param length   how many bytes were announced; negative if none were
     * @param maxBytes the most that are let through; 0 for any number
     * @param invited  whether the client sends without being asked to
     */
    Upload(ServletInputStream in, long length, long maxBytes, boolean invited) {
        this.in = in;
        this.length = length;
        this.maxBytes = maxBytes;
        this.invited = invited;
    }

    /** Whether more was announced than is let through. */
    boolean isTooLarge() {
        return maxBytes > 0 && length > maxBytes;
    }

    /** Whether the client sends only when it is asked to. */
    boolean isAwaitingInvitation() {
        return !invited;
    }

    /** Starts to listen to the client, and invites it to send. To be called before the request goes anywhere. */
    void begin(Owner who) {
        owner = who;
        in.setReadListener(this);
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public void sendTo(Sink to) {
        sink = to;
        drain();
    }

    /** Whether nothing more will be read. */
    boolean isOver() {
        return over;
    }

    /** Whether what comes still goes to the upstream. */
    boolean isWanted() {
        return !discarding;
    }

    /** Whether it is the client that is waited for, and not the upstream. */
    boolean waitsForClient() {
        return !over && !outstanding;
    }

    /** Runs something when nothing more will be read: now, if it is so already. Only once in all. */
    void whenOver(Runnable run) {
        atEnd.set(run);
        if (over) {
            finish();
        }
    }

    /** From now on what comes is thrown away. A client that was never listened to is not waited for. */
    void discard() {
        sink = null;
        discarding = true;
        quitting |= owner == null;
        drain();
    }

    /** Nothing more is to be read. */
    void quit() {
        quitting = true;
        drain();
    }

    @Override
    public void onDataAvailable() {
        asked = false;
        drain();
    }

    @Override
    public void onAllDataRead() {
        allRead = true;
        drain();
    }

    @Override
    public void onError(Throwable cause) {
        broken = cause;
        drain();
    }

    private void drain() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        while (seen != 0) {
            try {
                round();
            } catch (IOException | RuntimeException e) {
                breakOff(e);
            }
            seen = work.addAndGet(-seen);
        }
    }

    private void round() throws IOException {
        Throwable cause = broken;
        if (over) {
            return;
        }
        if (cause != null) {
            breakOff(cause);
        } else if (quitting) {
            finish();
        } else if (allRead) {
            end();
        }
        while (wantsMore() && isReady()) {
            read();
        }
    }

    private boolean wantsMore() {
        return !over && !quitting && !asked && (discarding || (sink != null && !outstanding));
    }

    private boolean isReady() {
        // Set first, because the container may answer on another thread before it has said no on this one.
        asked = true;
        if (in.isReady()) {
            asked = false;
            return true;
        }
        return false;
    }

    private void read() throws IOException {
        Sink to = sink;
        if (buffer.length == 0 || outstanding) {
            // Of a body that is thrown away the sender may still hold the piece before.
            buffer = new byte[PIECE];
        }
        int n = in.read(buffer);
        if (n < 0) {
            end();
        } else if (to == null) {
            discarded += n;
            if (discarded > MAX_DISCARDED) {
                finish();
            }
        } else if (n > 0) {
            pass(to, n);
        }
    }

    private void pass(Sink to, int n) {
        received += n;
        tell().onUploadMoved();
        if (maxBytes > 0 && received > maxBytes) {
            sink = null;
            // Its owner first, who would else hear of a failure of the upstream's.
            tell().onTooLarge();
            to.fail(new IOException("the body is larger than is let through"));
            return;
        }
        boolean last = received == length;
        outstanding = true;
        to.write(ByteBuffer.wrap(buffer, 0, n), last, this::taken);
        if (last) {
            finish();
        }
    }

    private void taken(@Nullable Throwable failure) {
        outstanding = false;
        if (failure == null) {
            tell().onUploadMoved();
        } else {
            // Whoever was to send it knows why, and says so to the exchange.
            sink = null;
            // After the answer nobody else will.
            discarding |= atEnd.get() != null;
        }
        drain();
    }

    private void end() {
        Sink to = sink;
        if (to != null) {
            to.end();
        }
        tell().onUploadMoved();
        finish();
    }

    private void breakOff(Throwable cause) {
        if (!over) {
            Sink to = sink;
            tell().onBrokenUpload(cause);
            if (to != null) {
                to.fail(cause);
            }
            finish();
        }
    }

    private void finish() {
        over = true;
        Runnable run = atEnd.getAndSet(null);
        if (run != null) {
            run.run();
        }
    }

    private Owner tell() {
        Owner who = owner;
        if (who == null) {
            throw new IllegalStateException("not begun");
        }
        return who;
    }
}
