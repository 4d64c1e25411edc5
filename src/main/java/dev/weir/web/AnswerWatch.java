package dev.weir.web;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes of an answer's body as they are given to the container, whoever writes them and in however many passes, and
 * keeps the first of them if it is asked to. Written by one thread at a time; read by any.
 */
final class AnswerWatch {

    private final AtomicLong bytes = new AtomicLong();
    private volatile byte @Nullable [] kept;

    /** To be called before there are any bytes: keeps so many of them. */
    void keep(int most) {
        kept = new byte[most];
    }

    /** A response that is watched; the same, if it is already. */
    HttpServletResponse over(HttpServletResponse response) {
        return response instanceof Watched ? response : new Watched(response, this);
    }

    /** How many bytes there were so far. */
    long bytes() {
        return bytes.get();
    }

    /** The whole body, if it was short enough to be kept whole; else null. */
    byte @Nullable [] body() {
        long length = bytes.get();
        byte[] whole = kept;
        return whole == null || length > whole.length ? null : Arrays.copyOf(whole, (int) length);
    }

    private void wrote(byte[] from, int offset, int length) {
        long before = bytes.get();
        byte[] to = kept;
        if (to != null && before < to.length) {
            System.arraycopy(from, offset, to, (int) before, (int) Math.min(length, to.length - before));
        }
        bytes.set(before + length);
    }

    private static final class Watched extends HttpServletResponseWrapper {

        private final AnswerWatch watch;
        private @Nullable ServletOutputStream out;

        Watched(HttpServletResponse response, AnswerWatch watch) {
            super(response);
            this.watch = watch;
        }

        @Override
        public ServletOutputStream getOutputStream() throws IOException {
            ServletOutputStream there = out;
            if (there == null) {
                there = new Counting(super.getOutputStream(), watch);
                out = there;
            }
            return there;
        }
    }

    private static final class Counting extends ServletOutputStream {

        private final ServletOutputStream out;
        private final AnswerWatch watch;

        Counting(ServletOutputStream out, AnswerWatch watch) {
            this.out = out;
            this.watch = watch;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            watch.wrote(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            out.write(from, offset, length);
            watch.wrote(from, offset, length);
        }

        @Override
        public boolean isReady() {
            return out.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            out.setWriteListener(listener);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
