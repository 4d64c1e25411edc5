package dev.weir.proxy;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The body of one streamed answer on its way to the client. One piece is held at a time; the next is asked for when the
 * container has taken this one, so a client that does not read stops the upstream. Nothing here blocks.
 *
 * <p>Safe for use by many threads.
 */
final class Downstream implements WriteListener {

    /*
     * The container's threads, the upstream's and the timer's meet in drain(). Whoever finds nobody in there does the
     * work; all others leave a mark and go, and the one inside makes another round for them. No lock is held while
     * writing, because a write may call back into here from the same thread, or end in a thread of the container that
     * waits for that lock.
     */

    /** What the owner of the answer is told; the last three end it, and only the first of them counts. */
    interface Owner {

        /** A piece has gone to the container. */
        void onWritten();

        /** Everything was written. */
        void onDelivered();

        /** What there was is written, and the rest will not come. */
        void onBroken(Throwable cause);

        /** The client cannot be reached any more. */
        void onClientGone(Throwable cause);
    }

    private record Piece(ByteBuffer content, Runnable more) {}

    private static final byte[] COMMENT = {':', '\n', '\n'};

    /** Each event is sent at once, so that nothing has to be collected; containers keep their buffer for as long as a stream lasts. */
    private static final int EVENTS_BUFFER = 512;

    /** The most messages of Weir's own that wait for the client to read. */
    private static final int MAX_MESSAGES = 64;

    private final HttpServletResponse response;
    private volatile @Nullable ServletOutputStream out;
    private final boolean events;
    private final Owner owner;

    private final AtomicInteger work = new AtomicInteger();
    private final AtomicReference<@Nullable Piece> next = new AtomicReference<>();
    private final Queue<byte[]> messages = new ArrayBlockingQueue<>(MAX_MESSAGES);
    private final AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();
    private final AtomicReference<@Nullable Throwable> gone = new AtomicReference<>();
    private volatile boolean opened;
    private volatile boolean complete;
    private volatile byte @Nullable [] last;
    private volatile boolean commentDue;
    private volatile boolean finishing;
    private volatile boolean hurry;
    private volatile @Nullable Piece written;
    private volatile @Nullable Piece rest;

    // Touched inside drain() only.
    private final EventBoundary boundary = new EventBoundary();
    private boolean flushDue;
    private boolean over;

    /** @param events whether this is a stream of events, of which each is to be sent as soon as it is here */
    Downstream(HttpServletResponse response, boolean events, Owner owner) {
        this.response = response;
        this.events = events;
        this.flushDue = events;
        this.owner = owner;
    }

    /** Starts writing, once the container says so. */
    void open() throws IOException {
        if (events) {
            response.setBufferSize(EVENTS_BUFFER);
        }
        // Not before, because until the answer is begun somebody else may be ending it.
        ServletOutputStream stream = response.getOutputStream();
        out = stream;
        stream.setWriteListener(this);
    }

    void offer(ByteBuffer content, Runnable more) {
        next.set(new Piece(content, more));
        drain();
    }

    /** There will be no more pieces, but these bytes at the end of the answer. */
    void complete(byte[] bytes) {
        last = bytes;
        complete();
    }

    /** There will be no more pieces. */
    void complete() {
        complete = true;
        drain();
    }

    /** Ends the answer so that the client sees that it is not whole, once it has what is here already. */
    void breakOff(Throwable cause) {
        broken.compareAndSet(null, cause);
        drain();
    }

    /** Ends the answer so that the client sees that it is not whole, without waiting for the client to read. */
    void breakOffAtOnce(Throwable cause) {
        hurry = true;
        breakOff(cause);
    }

    /** Ends a stream of events in good order once it stands between two of them, whatever is still to come. */
    void finish() {
        finishing = true;
        drain();
    }

    /** Puts a comment between two events, which keeps the connection open and shows whether the client is still there. */
    void comment() {
        commentDue = true;
        drain();
    }

    /**
     * Puts a whole event between two events of the upstream, as soon as there is such a place.
     *
     * @return false if the stream has ended, or too many wait for the client to read
     */
    boolean insert(byte[] event) {
        if (!events || complete || broken.get() != null || gone.get() != null || !messages.offer(event)) {
            return false;
        }
        drain();
        return true;
    }

    /** Whether a piece waits for the client to read. */
    boolean waitsForClient() {
        return written != null || rest != null || next.get() != null;
    }

    @Override
    public void onWritePossible() {
        opened = true;
        drain();
    }

    @Override
    public void onError(Throwable cause) {
        gone.compareAndSet(null, cause);
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
                // The container refuses to write, which it does only when the connection or the exchange has ended.
                gone.compareAndSet(null, e);
                endIfOver();
            }
            seen = work.addAndGet(-seen);
        }
    }

    private void round() throws IOException {
        if (endIfOver() || !opened) {
            return;
        }
        ServletOutputStream stream = out();
        while (stream.isReady()) {
            giveBack();
            // Read before the piece, because a piece may come between the two looks, but none after the mark.
            boolean ended = complete;
            Throwable cause = broken.get();
            byte[] message = boundary.isHere() ? messages.poll() : null;
            boolean finished = finishing && message == null && boundary.isHere();
            Piece piece = message == null && !finished ? nextPiece() : null;
            if (message != null) {
                writeOwn(message);
            } else if (piece != null) {
                write(piece);
            } else if (flushDue || (cause != null && !response.isCommitted())) {
                flushDue = false;
                stream.flush();
            } else if (cause != null && !finished) {
                breakOffNow(cause);
                return;
            } else if (ended && !finished && last != null) {
                writeLast();
            } else if (ended || finished) {
                over = true;
                owner.onDelivered();
                endIfOver();
                return;
            } else if (!writeComment()) {
                return;
            }
        }
        Throwable cause = broken.get();
        if (cause != null && hurry && response.isCommitted()) {
            breakOffNow(cause);
        }
    }

    /** Whether the answer is over, now that the client is gone or since before. */
    private boolean endIfOver() {
        Throwable cause = gone.get();
        if (!over && cause != null) {
            over = true;
            owner.onClientGone(cause);
        }
        if (over) {
            giveBack();
            for (Piece piece = nextPiece(); piece != null; piece = nextPiece()) {
                piece.more().run();
            }
        }
        return over;
    }

    /** What is left of a piece that an event was put into, or the next one. */
    private @Nullable Piece nextPiece() {
        Piece piece = rest;
        rest = null;
        return piece == null ? next.getAndSet(null) : piece;
    }

    private void breakOffNow(Throwable cause) {
        over = true;
        owner.onBroken(cause);
        endIfOver();
    }

    private void giveBack() {
        Piece piece = written;
        if (piece != null) {
            written = null;
            owner.onWritten();
            piece.more().run();
        }
    }

    private void write(Piece piece) throws IOException {
        ByteBuffer content = piece.content();
        byte[] bytes;
        int offset;
        int length = content.remaining();
        if (content.hasArray()) {
            bytes = content.array();
            offset = content.arrayOffset() + content.position();
        } else {
            bytes = new byte[length];
            offset = 0;
            content.duplicate().get(bytes);
        }
        flushDue = events;
        int first = length;
        if (events && (finishing || !messages.isEmpty())) {
            first = boundary.passedUpToBoundary(bytes, offset, length);
        } else if (events) {
            boundary.passed(bytes, offset, length);
        }
        if (first < length) {
            rest = new Piece(content.duplicate().position(content.position() + first), piece.more());
        } else {
            written = piece;
        }
        out().write(bytes, offset, first);
    }

    private boolean writeComment() throws IOException {
        if (!commentDue) {
            return false;
        }
        commentDue = false;
        if (!boundary.isHere()) {
            return false;
        }
        writeOwn(COMMENT);
        return true;
    }

    private void writeLast() throws IOException {
        byte[] bytes = last;
        last = null;
        if (bytes != null) {
            writeOwn(bytes);
        }
    }

    private void writeOwn(byte[] bytes) throws IOException {
        flushDue = true;
        out().write(bytes, 0, bytes.length);
    }

    private ServletOutputStream out() {
        return Objects.requireNonNull(out, "the answer has not been begun");
    }
}
