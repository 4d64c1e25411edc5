package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ChoreTest {

    private final AtomicLong nanos = new AtomicLong();

    @Test
    void aChoreThatFailsIsInTroubleUntilATurnWorksAndIsLoggedOnce() {
        AtomicLong failures = new AtomicLong(3);
        Chore chore = new Chore(
                "test",
                () -> {
                    if (failures.getAndDecrement() > 0) {
                        throw new IllegalStateException("not now");
                    }
                },
                nanos::get);
        try (LogLines lines = new LogLines(Chore.class)) {
            assertThat(chore.trouble()).isNull();
            for (int i = 0; i < 3; i++) {
                chore.run();
                assertThat(chore.trouble()).isEqualTo("not now");
            }
            chore.run();
            assertThat(chore.trouble()).isNull();
            assertThat(lines.of("chore_failed")).hasSize(1);
            assertThat(lines.of("chore_recovered")).hasSize(1);
        }
    }

    @Test
    void aTurnThatDoesNotEndIsTroubleAfterTwoSecondsAndNobodyWhoAsksWaitsForIt() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        Chore chore = new Chore(
                "test",
                () -> {
                    begun.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                nanos::get);
        Thread thread = new Thread(chore);
        thread.start();
        begun.await();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        assertThat(chore.trouble()).isNull();
        nanos.incrementAndGet();
        assertThat(chore.trouble()).isEqualTo("no answer for seconds");
        end.countDown();
        thread.join();
        await().until(() -> chore.trouble() == null);
    }
}
