package dev.weir.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** All that is logged from now until this is closed, as it would be written to standard output: the bytes. */
public final class LogCapture implements AutoCloseable {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Logger ours = (Logger) LoggerFactory.getLogger("dev.weir");
    private final LogQueue queue = new LogQueue(new PrintStream(bytes, true, StandardCharsets.UTF_8), 100_000);

    /** @param format {@code json} or {@code text} */
    public LogCapture(String format) {
        queue.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
        queue.use(LogOutput.form(format));
        queue.start();
        root.addAppender(queue);
        ours.setLevel(Level.INFO);
    }

    /** Ends, once everything has been written, and tells it. */
    public byte[] end() {
        close();
        return bytes.toByteArray();
    }

    /** What has been written so far, which may lack the end of the last line. */
    public String soFar() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** The same as objects of JSON. */
    public List<JsonNode> lines() {
        return StrictJson.lines(end());
    }

    @Override
    public void close() {
        root.detachAppender(queue);
        ours.setLevel(null);
        queue.stop();
    }
}
