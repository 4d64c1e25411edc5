package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** Who logs never waits, and what is missing is known. */
@Timeout(30)
class LogQueueTest {

    private static final int ROOM = 100;

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.weir.LogQueueTest");
    private final Output out = new Output();
    private final LogQueue queue = new LogQueue(new PrintStream(out, false, StandardCharsets.UTF_8), ROOM);

    /** A reader that can be made to stop reading. */
    private static final class Output extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final CountDownLatch reached = new CountDownLatch(1);
        private volatile CountDownLatch goesOn = new CountDownLatch(0);
        private volatile boolean broken;

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            reached.countDown();
            if (broken) {
                throw new IOException("nobody reads");
            }
            try {
                goesOn.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            synchronized (bytes) {
                bytes.write(from, offset, length);
            }
        }
    }

    private void start() {
        queue.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
        queue.start();
        logger.setAdditive(false);
        logger.setLevel(Level.INFO);
        logger.addAppender(queue);
    }

    @AfterEach
    void stop() {
        out.goesOn.countDown();
        queue.stop();
        logger.detachAppender(queue);
        logger.setLevel(null);
        logger.setAdditive(true);
    }

    private void log(int number) {
        logger.atInfo().addKeyValue("number", number).log("counted");
    }

    @Test
    void aReaderThatHangsHoldsUpNobodyAndTheLogTellsHowManyLinesItLacks() throws Exception {
        out.goesOn = new CountDownLatch(1);
        start();
        log(0);
        assertThat(out.reached.await(10, TimeUnit.SECONDS)).isTrue();
        for (int i = 1; i <= 10 * ROOM; i++) {
            log(i);
        }
        assertThat(queue.dropped()).as("all but what there is room for").isEqualTo(9 * ROOM);
        out.goesOn.countDown();
        queue.stop();
        List<JsonNode> lines = StrictJson.lines(out.bytes.toByteArray());
        assertThat(lines)
                .filteredOn(line -> line.path("event").asString().equals("counted"))
                .hasSize(ROOM + 1);
        assertThat(lines)
                .filteredOn(line -> line.path("event").asString().equals("log_lines_dropped"))
                .singleElement()
                .satisfies(line -> assertThat(line.path("lines").asInt()).isEqualTo(9 * ROOM));
    }

    @Test
    void whatWaitsIsWrittenAtTheEndInTheOrderInWhichItWasLogged() {
        start();
        for (int i = 0; i < ROOM; i++) {
            log(i);
        }
        queue.stop();
        List<JsonNode> lines = StrictJson.lines(out.bytes.toByteArray());
        assertThat(lines)
                .extracting(line -> line.path("number").asInt())
                .isSorted()
                .hasSize(ROOM);
        assertThat(queue.dropped()).isZero();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("weir-log")));
    }

    @Test
    void aReaderThatHangsHoldsUpTheEndForSecondsOnly() throws Exception {
        out.goesOn = new CountDownLatch(1);
        start();
        log(0);
        assertThat(out.reached.await(10, TimeUnit.SECONDS)).isTrue();
        log(1);
        long before = System.nanoTime();
        queue.stop();
        assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - before)).isLessThan(10);
        assertThat(queue.dropped()).isEqualTo(2);
    }

    @Test
    void linesThatNobodyTakesAreCounted() {
        out.broken = true;
        start();
        for (int i = 0; i < 10; i++) {
            log(i);
        }
        await().until(() -> queue.dropped() == 10);
    }

    @Test
    void aLineThatCannotBeWrittenIsNotTheLast() {
        start();
        logger.atInfo()
                .addKeyValue("bad", new Object() {
                    @Override
                    public String toString() {
                        throw new IllegalStateException("no words");
                    }
                })
                .log("counted");
        log(1);
        queue.stop();
        assertThat(StrictJson.lines(out.bytes.toByteArray()))
                .extracting(line -> line.path("event").asString())
                .contains("counted", "log_lines_dropped");
        assertThat(queue.dropped()).isEqualTo(1);
    }
}
