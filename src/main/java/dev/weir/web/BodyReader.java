package dev.weir.web;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a request whole, within a bound, without holding a thread for a slow sender: at once where all of it is
 * there already, else by a listener, after which the request comes through the chain a second time.
 *
 * <p>What is over the bound is read and thrown away, again within a bound, because a client that is still sending would not see
 * an answer that is given before.
 */
final class BodyReader {

    private static final String ATTRIBUTE = "dev.weir.body";
    private static final int CHUNK = 8_192;

    /** A body that was announced with no more bytes than this is first looked for where it is. */
    private static final int SMALL = 64 * 1024;

    /** A body, or why there is none. */
    static final class Body {

        /** How the reading ended. */
        enum End {
            WHOLE,
            TOO_LARGE,
            TOO_SLOW,
            BROKEN,
            NO_ROOM
        }

        private final End end;
        private final byte[] bytes;
        private final boolean gone;

        private Body(End end, byte[] bytes, boolean gone) {
            this.end = end;
            this.bytes = bytes;
            this.gone = gone;
        }

        private Body(End end) {
            this(end, new byte[0], false);
        }

        End end() {
            return end;
        }

        byte[] bytes() {
            return bytes;
        }
    }

    private final BodyBudget budget;
    private final int maxBytes;
    private final long maxDrainBytes;
    private final long maxMillis;

    /**
     * @param budget        what the memory of each body comes from; {@link Visit} knows how much a request has, and whoever ends
     *                      the visit gives it back
     * @param maxDrainBytes how much of a larger body is read for the sake of its sender
     * @param maxMillis     how long a sender may take
     */
    BodyReader(BodyBudget budget, long maxDrainBytes, long maxMillis) {
        this.budget = budget;
        this.maxBytes = budget.largest();
        this.maxDrainBytes = maxDrainBytes;
        this.maxMillis = maxMillis;
    }

    /**
     * The body of a request, or null if it is still on its way: then the request is in asynchronous mode, nothing more is to be
     * done on this pass, and it will come again.
     *
     * @throws IOException if the sender is gone
     */
    @Nullable
    Body read(HttpServletRequest request) throws IOException {
        if (request.getAttribute(ATTRIBUTE) instanceof Body body) {
            return body;
        }
        long length = request.getContentLengthLong();
        if (length == 0) {
            return new Body(Body.End.WHOLE);
        }
        int expected = (int) Math.min(length < 0 ? CHUNK : length, maxBytes);
        if (!Visit.of(request).takeMemory(budget, expected)) {
            return new Body(Body.End.NO_ROOM);
        }
        Collector collector = new Collector(request, expected, maxBytes);
        if (length > 0 && length <= maxBytes && request.getHeader("Expect") == null) {
            collector.readWhatIsThere(length);
            if (collector.kept == length) {
                Body body = collector.body();
                request.setAttribute(ATTRIBUTE, body);
                return body;
            }
        }
        collector.readTheRest();
        return null;
    }

    /**
     * Reads what nobody has read of a body that nobody wants, for the sake of its sender; where that cannot be all of it, the
     * connection is told to close.
     *
     * @return whether the request may be answered now; else it is in asynchronous mode, nothing more is to be done on this
     *     pass, and it will come again
     * @throws IOException if the sender is gone
     */
    boolean discard(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getAttribute(ATTRIBUTE) instanceof Body body) {
            if (!body.gone) {
                response.setHeader("Connection", "close");
            }
            return true;
        }
        long length = request.getContentLengthLong();
        if (length == 0 || (length < 0 && request.getHeader("Transfer-Encoding") == null)) {
            return true;
        }
        if (request.getHeader("Expect") != null) {
            // It has not been asked for, and may never come.
            response.setHeader("Connection", "close");
            return true;
        }
        Collector collector = new Collector(request, (int) Math.max(0, Math.min(length, SMALL)), 0);
        if (length > 0 && length <= SMALL) {
            collector.readWhatIsThere(length);
            if (collector.kept == length) {
                return true;
            }
        }
        collector.readTheRest();
        return false;
    }

    /** Collects one body. Runs on one thread at a time, as the container calls it. */
    private final class Collector implements ReadListener, AsyncListener {

        private final HttpServletRequest request;
        private final ServletInputStream in;
        private final AtomicBoolean ended = new AtomicBoolean();
        private final int maxBytes;
        private byte[] bytes;
        private int kept;
        private long drained;
        private @Nullable AsyncContext async;

        Collector(HttpServletRequest request, int expected, int maxBytes) throws IOException {
            this.request = request;
            this.maxBytes = maxBytes;
            this.in = request.getInputStream();
            this.bytes = new byte[expected];
        }

        void readWhatIsThere(long length) throws IOException {
            while (kept < length && in.available() > 0) {
                int n = in.read(bytes, kept, (int) length - kept);
                if (n < 0) {
                    return;
                }
                kept += n;
            }
        }

        void readTheRest() {
            async = request.startAsync();
            async.setTimeout(maxMillis);
            async.addListener(this);
            in.setReadListener(this);
        }

        Body body() {
            return body(true);
        }

        private Body body(boolean gone) {
            return drained > 0
                    ? new Body(Body.End.TOO_LARGE, new byte[0], gone)
                    : new Body(Body.End.WHOLE, Arrays.copyOf(bytes, kept), gone);
        }

        @Override
        public void onDataAvailable() throws IOException {
            // At the end of the body a stream is ready too: only reading tells.
            boolean more = true;
            while (more && !ended.get() && in.isReady()) {
                if (kept == bytes.length && bytes.length < maxBytes && !grow()) {
                    comeAgain(new Body(Body.End.NO_ROOM));
                    return;
                }
                more = kept < bytes.length ? keep() : drain();
            }
        }

        private boolean grow() {
            int longer = (int) Math.min(2L * bytes.length, maxBytes);
            if (!Visit.of(request).takeMemory(budget, longer - bytes.length)) {
                return false;
            }
            bytes = Arrays.copyOf(bytes, longer);
            return true;
        }

        private boolean keep() throws IOException {
            int n = in.read(bytes, kept, bytes.length - kept);
            kept += Math.max(0, n);
            return n >= 0;
        }

        private boolean drain() throws IOException {
            int n = in.read(new byte[CHUNK]);
            drained += Math.max(0, n);
            if (drained > maxDrainBytes) {
                comeAgain(body(false));
            }
            return n >= 0;
        }

        @Override
        public void onAllDataRead() {
            comeAgain(body());
        }

        @Override
        public void onError(Throwable failure) {
            // The sender is gone, or what it sends is framed as no body is. A container may call this a second time.
            comeAgain(new Body(Body.End.BROKEN));
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            comeAgain(new Body(Body.End.TOO_SLOW));
        }

        private void comeAgain(Body body) {
            if (ended.compareAndSet(false, true) && async != null) {
                request.setAttribute(ATTRIBUTE, body);
                try {
                    async.dispatch();
                } catch (IllegalStateException e) {
                    // Some containers let nobody come again after an error of the sender.
                    async.complete();
                }
            }
        }

        @Override
        public void onComplete(AsyncEvent event) {
            ended.set(true);
        }

        @Override
        public void onError(AsyncEvent event) {
            onError(event.getThrowable());
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // A later pass has its own listeners.
        }
    }
}
