package dev.weir.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What some loggers say from now until this is closed. */
final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final List<Logger> loggers = new ArrayList<>();

    LogLines(Class<?>... sources) {
        start();
        for (Class<?> source : sources) {
            Logger logger = (Logger) LoggerFactory.getLogger(source);
            logger.setLevel(Level.INFO);
            logger.addAppender(this);
            loggers.add(logger);
        }
    }

    @Override
    protected void append(ILoggingEvent event) {
        event.prepareForDeferredProcessing();
        events.add(event);
    }

    /** The lines of one event, in order. */
    List<ILoggingEvent> of(String event) {
        return events.stream().filter(line -> event.equals(line.getMessage())).toList();
    }

    /** The lines of one event of one request, in order. */
    List<ILoggingEvent> of(String event, String requestId) {
        return of(event).stream()
                .filter(line -> requestId.equals(field(line, "request_id")))
                .toList();
    }

    /** Everything, as one text. */
    String all() {
        StringBuilder all = new StringBuilder();
        events.forEach(event -> all.append(event.getFormattedMessage())
                .append(event.getKeyValuePairs())
                .append('\n'));
        return all.toString();
    }

    /** A field of a line; empty if it has none of this name. */
    static String field(ILoggingEvent line, String name) {
        return line.getKeyValuePairs() == null
                ? ""
                : line.getKeyValuePairs().stream()
                        .filter(pair -> pair.key.equals(name))
                        .map(pair -> String.valueOf(pair.value))
                        .findFirst()
                        .orElse("");
    }

    @Override
    public void close() {
        for (Logger logger : loggers) {
            logger.detachAppender(this);
            logger.setLevel(null);
        }
    }
}
