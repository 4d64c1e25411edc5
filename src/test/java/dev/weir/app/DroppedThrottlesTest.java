package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.ban.ThrottleEvent;
import dev.weir.store.Database;
import dev.weir.store.DatabaseUnderTest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What of the throttles finds no room is counted, and of interest for a minute. */
class DroppedThrottlesTest {

    private static final int ROOM = 20_000;

    @TempDir
    Path directory;

    private final AtomicLong nanos = new AtomicLong();
    private volatile Instant now = Instant.parse("2026-11-30T12:00:00Z");

    @Test
    void rowsThatFindNoRoomBecauseTheDatabaseIsAwayAreDroppedAndToldOf() throws Exception {
        try (Database away = Database.at(DatabaseUnderTest.H2.fresh(directory))) {
            ThrottleKeeper keeper = new ThrottleKeeper(away, "node", () -> now, nanos::get);
            throttle(keeper, "a", ROOM);
            assertThat(keeper.isDropping()).isFalse();
            assertThat(keeper.dropped()).isZero();
            throttle(keeper, "b", ROOM);
            assertThat(keeper.waiting()).isLessThanOrEqualTo(ROOM + 1);
            assertThat(keeper.dropped()).isBetween(ROOM - 1_000L, (long) ROOM);
            assertThat(keeper.isDropping()).isTrue();

            nanos.addAndGet(Duration.ofMinutes(1).toNanos() - 1);
            keeper.keep();
            assertThat(keeper.isDropping()).isTrue();
            nanos.incrementAndGet();
            assertThat(keeper.isDropping()).isFalse();
            keeper.close(Duration.ofSeconds(5));
        }
    }

    private void throttle(ThrottleKeeper keeper, String name, int kinds) {
        for (int i = 0; i < kinds; i++) {
            keeper.tally()
                    .count(new ThrottleEvent.Kind(
                            "client:" + name + i, "/mcp", "t", "tool", ThrottleEvent.Decision.THROTTLED));
        }
        now = now.plusSeconds(1);
        keeper.keep();
    }
}
