package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@OnEveryDatabase
class WriteQueueTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private Database database;
    private WriteQueue queue;

    WriteQueueTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
        queue = WriteQueue.keeping(database);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void whatWaitsTogetherIsCommittedInOneTransaction() throws Exception {
        CompletableFuture<Void> first = add("a");
        CompletableFuture<Void> last = add("b");
        AtomicInteger seenByOthers = new AtomicInteger();
        queue.add("look", handle -> seenByOthers.set(onAnotherThread()));
        new Thread(queue).start();
        assertThat(queue.stop(LONG)).isTrue();
        assertThat(seenByOthers)
                .as("committed while the third was still to come")
                .hasValue(0);
        assertThat(settings()).isEqualTo(2);
        assertThat(first).isDone();
        assertThat(last).isDone();
    }

    @Test
    void stoppingWritesWhatIsLeft() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        queue.add("slow", handle -> {
            entered.countDown();
            await().until(() -> go.getCount() == 0);
        });
        Thread thread = new Thread(queue);
        thread.start();
        entered.await();
        CompletableFuture<Void> late = add("a");
        assertThat(queue.stop(Duration.ofMillis(50)))
                .as("stopped while the slow one runs")
                .isFalse();
        go.countDown();
        thread.join();
        assertThat(late).isDone();
        assertThat(queue.stop(Duration.ZERO)).isTrue();
        assertThat(settings()).isEqualTo(1);
    }

    @Test
    void stoppingWhileTheTableIsAwayTriesOnceMoreAndEnds() throws Exception {
        database.jdbi().useHandle(handle -> handle.execute("ALTER TABLE setting RENAME TO setting_away"));
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<Void> write = queue.add("row", handle -> {
                    attempts.incrementAndGet();
                    handle.execute("INSERT INTO setting (name, content) VALUES ('a', '')");
                })
                .toCompletableFuture();
        Thread thread = new Thread(queue);
        thread.start();
        await().until(() -> attempts.get() >= 4);
        int before = attempts.get();
        assertThat(queue.stop(LONG)).isFalse();
        thread.join();
        assertThat(attempts).hasValueBetween(before + 1, before + 2);
        assertThat(write).isNotDone();
    }

    @Test
    void aQueueThatNeverRanStopsAtOnceIfNothingWaits() {
        assertThat(queue.stop(LONG)).isTrue();
        CompletableFuture<Void> write = add("a");
        assertThat(queue.stop(Duration.ofMillis(50))).isFalse();
        assertThat(write).isNotDone();
    }

    @Test
    void aRefusedWriteWaitsInAKeepingQueueAndIsGivenUpInADroppingOne() throws Exception {
        WriteQueue dropping = WriteQueue.dropping(database);
        CompletableFuture<Void> given = bad(dropping);
        CompletableFuture<Void> kept = bad(queue);
        assertThat(dropping.length()).isEqualTo(1);
        new Thread(dropping).start();
        new Thread(queue).start();
        assertThat(given).failsWithin(LONG);
        assertThat(dropping.length()).isZero();
        CompletableFuture<Void> good = add("a");
        good.get(20, TimeUnit.SECONDS);
        assertThat(kept).isNotDone();
        assertThat(queue.length()).isEqualTo(1);
        assertThat(queue.stop(LONG)).isFalse();
        assertThat(dropping.stop(LONG)).isTrue();
    }

    private static CompletableFuture<Void> bad(WriteQueue queue) {
        return queue.add("bad", handle -> handle.execute("INSERT INTO setting (name, content) VALUES ('', '')"))
                .toCompletableFuture();
    }

    private CompletableFuture<Void> add(String name) {
        return queue.add(name, handle -> handle.execute("INSERT INTO setting (name, content) VALUES (?, '')", name))
                .toCompletableFuture();
    }

    /** Not here, because a thread inside a transaction sees what it has not committed. */
    private int onAnotherThread() {
        return CompletableFuture.supplyAsync(this::settings).join();
    }

    private int settings() {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT COUNT(*) FROM setting")
                        .mapTo(Integer.class)
                        .one());
    }
}
