package dev.weir.rest;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Events on their way to one reader, without a thread that waits for it: of several of one kind that it is too slow for, it gets the latest.
 * Safe for use by many threads.
 *
 * @see <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html">Server-sent events</a>
 */
public final class EventStream {

    private final AsyncContext context;
    private final ServletOutputStream out;

    /** The events that are to go, by their kinds and in the order of these. All below is guarded by this object. */
    private final Map<String, byte[]> waiting = new LinkedHashMap<>();

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

    /** An event, ready to be sent to any number of readers. */
    public static final class Event {

        private final String kind;
        private final byte[] bytes;

        private Event(String kind, byte[] bytes) {
            this.kind = kind;
            this.bytes = bytes;
        }
    }

    /** Makes an event of something that becomes JSON. */
    public static Event event(String kind, Object json) {
        String text = "event: " + kind + "\ndata: " + Checks.JSON.writeValueAsString(json) + "\n\n";
        return new Event(kind, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends an event, unless a later one of its kind comes before the reader has taken what it has got. */
    public void send(String kind, Object json) {
        send(event(kind, json));
    }

    /** The same with an event that is ready. */
    public void send(Event event) {
        synchronized (this) {
            waiting.put(event.kind, event.bytes);
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
                while (out.isReady() && !waiting.isEmpty()) {
                    Iterator<byte[]> first = waiting.values().iterator();
                    byte[] bytes = first.next();
                    first.remove();
                    out.write(bytes);
                    if (out.isReady()) {
                        out.flush();
                    }
                }
                over = ended && waiting.isEmpty() && out.isReady();
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
