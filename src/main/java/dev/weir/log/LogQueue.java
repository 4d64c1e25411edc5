package dev.weir.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * The end of the log: takes lines from any thread and writes them to standard output on a thread of its own. Whoever logs never
 * waits for a reader: when too many lines wait already, the next are dropped and counted, and the log says how many it lacks
 * once it can say anything again.
 *
 * <p>{@code logback.xml} makes it. Safe for use by many threads.
 */
public final class LogQueue extends UnsynchronizedAppenderBase<ILoggingEvent> {

    private static final int MAX_LINES = 8_192;
    private static final int LINES_AT_ONCE = 256;
    private static final long STOP_MILLIS = 3_000;
    private static final ILoggingEvent WAKE_UP = new LoggingEvent();

    private final BlockingQueue<ILoggingEvent> waiting;
    private final AtomicLong dropped = new AtomicLong();
    private final @Nullable PrintStream given;
    private volatile LineForm form = new JsonLine();
    private volatile boolean stopping;
    private volatile @Nullable Thread writer;

    /** How many lines are being written. */
    private volatile long inHand;

    // Touched by the writer only.
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(8_192);
    private long told;

    /** Writes to what is standard output when it starts. */
    public LogQueue() {
        this(null, MAX_LINES);
    }

    LogQueue(@Nullable PrintStream given, int maxLines) {
        this.given = given;
        this.waiting = new ArrayBlockingQueue<>(maxLines);
    }

    /** Writes lines in another form from now on. */
    void use(LineForm other) {
        form = other;
    }

    /** How many lines are missing, because they came while too many waited, or because nobody could be written to. */
    long dropped() {
        return dropped.get();
    }

    @Override
    public void start() {
        PrintStream out = given == null ? System.out : given;
        Thread thread = new Thread(() -> write(out), "weir-log");
        thread.setDaemon(true);
        writer = thread;
        super.start();
        thread.start();
    }

    @Override
    protected void append(ILoggingEvent event) {
        event.prepareForDeferredProcessing();
        if (!waiting.offer(event)) {
            dropped.incrementAndGet();
        }
    }

    /** Writes what waits, and ends; gives up, and counts what is left, if nobody reads for seconds. */
    @Override
    public void stop() {
        Thread thread = writer;
        if (!isStarted() || thread == null) {
            return;
        }
        super.stop();
        stopping = true;
        // Where there is no room for it, there is work, and whoever does that looks afterwards.
        var unused = waiting.offer(WAKE_UP);
        try {
            thread.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            dropped.addAndGet(
                    inHand + waiting.stream().filter(event -> event != WAKE_UP).count());
        }
    }

    private void write(PrintStream out) {
        List<ILoggingEvent> some = new ArrayList<>(LINES_AT_ONCE);
        try {
            do {
                some.add(waiting.take());
                waiting.drainTo(some, LINES_AT_ONCE - 1);
                write(some, out);
                some.clear();
            } while (!stopping || !waiting.isEmpty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(List<ILoggingEvent> some, PrintStream out) {
        long lines = 0;
        for (ILoggingEvent event : some) {
            if (event != WAKE_UP) {
                add(event);
                lines++;
            }
        }
        long missing = dropped.get();
        if (missing != told) {
            add(missing(missing - told));
            told = missing;
        }
        inHand = lines;
        out.write(bytes.toByteArray(), 0, bytes.size());
        inHand = 0;
        bytes.reset();
        if (out.checkError()) {
            // It stays so, and whoever is to know learns it from the count only.
            told = dropped.addAndGet(lines);
        }
    }

    /** One line that cannot be written, because what was logged throws when it is looked at, must not be the last. */
    private void add(ILoggingEvent event) {
        int before = bytes.size();
        try {
            form.write(event, bytes);
        } catch (RuntimeException e) {
            byte[] good = bytes.toByteArray();
            bytes.reset();
            bytes.write(good, 0, before);
            dropped.incrementAndGet();
        }
    }

    private ILoggingEvent missing(long lines) {
        LoggingEvent event = new LoggingEvent();
        event.setTimeStamp(System.currentTimeMillis());
        event.setLevel(Level.WARN);
        event.setLoggerName(LogQueue.class.getName());
        event.setMessage("log_lines_dropped");
        event.addKeyValuePair(new KeyValuePair("lines", lines));
        if (getContext() instanceof LoggerContext context) {
            event.setLoggerContextRemoteView(context.getLoggerContextRemoteView());
        }
        return event;
    }
}
