package dev.weir.rest;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Events on their way to one reader, without a thread that waits for it: of several that it is too slow for, it gets the latest.
 * Safe for use by many threads.
 *
 * @see <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html">Server-sent events</a>
 */
public final class EventStream {

    private final AsyncContext context;
    private final ServletOutputStream out;

    /** The event that is to go next; null if there is none. All below is guarded by this object. */
    private byte @Nullable [] next;

    private boolean writable;
    private boolean ended;
    private boolean completed;
    private @Nullable Runnable onEnd;

    private EventStream(AsyncContext context) throws IOException {
        this.context = context;
        this.out = context.getResponse().getOutputStream();
    }

    /** Begins to answer with events. */
    static void begin(AsyncContext context, Consumer<EventStream> reader) throws IOException {
        context.setTimeout(0);
        EventStream stream = new EventStream(context);
        context.addListener(stream.new Ends());
        reader.accept(stream);
        stream.out.setWriteListener(stream.new Writes());
    }

    /** Sends an event, unless a later one comes before the reader has taken what it has got. */
    public void send(String event, Object json) {
        String text = "event: " + event + "\ndata: " + Checks.JSON.writeValueAsString(json) + "\n\n";
        synchronized (this) {
            next = text.getBytes(StandardCharsets.UTF_8);
        }
        write();
    }

    /** Ends the stream after what has been sent. */
    public void end() {
        synchronized (this) {
            ended = true;
        }
        write();
    }

    /** Says what is to be done when the stream has ended, whichever way; at once if it has. */
    public void onEnd(Runnable task) {
        synchronized (this) {
            if (!completed) {
                onEnd = task;
                return;
            }
        }
        task.run();
    }

    private void write() {
        boolean over = false;
        synchronized (this) {
            if (!writable || completed) {
                return;
            }
            try {
                while (out.isReady() && next != null) {
                    byte[] bytes = next;
                    next = null;
                    out.write(bytes);
                    if (out.isReady()) {
                        out.flush();
                    }
                }
                over = ended && next == null && out.isReady();
            } catch (IOException | IllegalStateException e) {
                over = true;
            }
        }
        if (over) {
            finish(true);
        }
    }

    private void finish(boolean complete) {
        Runnable task;
        synchronized (this) {
            if (completed) {
                return;
            }
            completed = true;
            task = onEnd;
        }
        if (task != null) {
            task.run();
        }
        if (complete) {
            try {
                context.complete();
            } catch (IllegalStateException e) {
                // The container has ended it already.
            }
        }
    }

    private final class Writes implements WriteListener {

        @Override
        public void onWritePossible() {
            synchronized (EventStream.this) {
                writable = true;
            }
            write();
        }

        @Override
        public void onError(Throwable failure) {
            finish(true);
        }
    }

    private final class Ends implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            finish(false);
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            finish(true);
        }

        @Override
        public void onError(AsyncEvent event) {
            finish(true);
        }

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
