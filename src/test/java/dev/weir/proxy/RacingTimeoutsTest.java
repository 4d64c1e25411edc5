package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.RacingCalls;
import dev.weir.wire.StubUpstream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Cases O27 and O28: a limit of time that races the answer ends a call once, and nobody gets what is another's. */
class RacingTimeoutsTest {

    private static final int CALLS = 50_000;
    private static final int CONNECTIONS = 32;
    private static final long LIMIT_MILLIS = 4;

    @Test
    void everyAnswerCarriesItsOwnIdAndContent() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        try (StubUpstream upstream = RacingCalls.upstream(LIMIT_MILLIS);
                Front front = Front.to(
                        upstream.base(),
                        Front.limits(Duration.ofMillis(LIMIT_MILLIS), Duration.ofMillis(LIMIT_MILLIS)))) {
            CompletableFuture<Void> sweeping = CompletableFuture.runAsync(() -> {
                while (!over.get()) {
                    front.sweepAfter(Duration.ZERO);
                    LockSupport.parkNanos(200_000);
                }
            });
            RacingCalls.Outcome outcome = RacingCalls.run(front.port(), CALLS, CONNECTIONS);
            over.set(true);
            sweeping.join();
            assertThat(outcome.wrong()).isEmpty();
            assertThat(outcome.answered() + outcome.timedOut()).isGreaterThanOrEqualTo(CALLS);
            assertThat(outcome.answered()).isGreaterThan(100);
            assertThat(outcome.timedOut()).isGreaterThan(100);
            await().untilAsserted(() -> assertThat(front.underWay()).isZero());
        }
    }
}
