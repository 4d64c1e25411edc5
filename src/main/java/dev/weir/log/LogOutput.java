package dev.weir.log;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of this process, or of this web application: what is to be said to it once the settings are known, and at the end.
 * Nothing of this does anything where the log is written by something else, as in a test.
 */
public final class LogOutput {

    private LogOutput() {}

    /**
     * Writes in a form from now on.
     *
     * @param format {@code json} or {@code text}
     * @throws IllegalArgumentException with the two words there are
     */
    public static void use(String format) {
        LineForm form = form(format);
        LogQueue queue = queue();
        if (queue != null) {
            queue.use(form);
        }
    }

    /** The form of a name. */
    static LineForm form(String format) {
        return switch (format) {
            case "json" -> new JsonLine();
            case "text" -> new TextLine();
            default -> throw new IllegalArgumentException("json or text, not [" + format + "]");
        };
    }

    /**
     * Looks whether there is a form.
     *
     * @throws IllegalArgumentException with the two words there are
     */
    public static void check(String format) {
        form(format);
    }

    /** How many lines the log lacks since the start. */
    public static long droppedLines() {
        LogQueue queue = queue();
        return queue == null ? 0 : queue.dropped();
    }

    /** Writes what waits to be written, and ends; what is logged later is not written. */
    public static void close() {
        LogQueue queue = queue();
        if (queue != null) {
            queue.stop();
        }
    }

    private static @Nullable LogQueue queue() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            for (Iterator<Appender<ILoggingEvent>> all =
                            context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders();
                    all.hasNext(); ) {
                if (all.next() instanceof LogQueue queue) {
                    return queue;
                }
            }
        }
        return null;
    }
}
