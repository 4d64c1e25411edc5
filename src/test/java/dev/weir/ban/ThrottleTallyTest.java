package dev.weir.ban;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limit.Effort;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ThrottleTallyTest {

    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");

    private final AtomicLong millis = new AtomicLong(NOON.toEpochMilli() + 250);
    private final ThrottleTally tally = new ThrottleTally(3, () -> Instant.ofEpochMilli(millis.get()));

    private static ThrottleEvent.Kind kind(String tool) {
        return new ThrottleEvent.Kind("client:a", "/mcp", tool, "tool", ThrottleEvent.Decision.THROTTLED);
    }

    @Test
    void callsOfOneKindInOneSecondAreOneEventOnceTheSecondIsOver() {
        tally.count(kind("a"));
        millis.addAndGet(500);
        tally.count(kind("a"));
        tally.count(kind("b"));
        assertThat(tally.takeFinished()).as("in the running second").isEmpty();
        millis.addAndGet(249);
        assertThat(tally.takeFinished()).as("in its last millisecond").isEmpty();
        millis.addAndGet(1);
        tally.count(kind("a"));
        assertThat(tally.takeFinished())
                .containsExactlyInAnyOrder(
                        new ThrottleEvent(NOON, kind("a"), 2), new ThrottleEvent(NOON, kind("b"), 1));
        millis.addAndGet(1_000);
        assertThat(tally.takeFinished()).containsExactly(new ThrottleEvent(NOON.plusSeconds(1), kind("a"), 1));
        assertThat(tally.takeFinished()).isEmpty();
    }

    @Test
    void eachPartOfAKindTellsItFromOthers() {
        ThrottleTally wide = new ThrottleTally(100, () -> NOON);
        wide.count(kind("a"));
        wide.count(new ThrottleEvent.Kind("client:b", "/mcp", "a", "tool", ThrottleEvent.Decision.THROTTLED));
        wide.count(new ThrottleEvent.Kind("client:a", "/x", "a", "tool", ThrottleEvent.Decision.THROTTLED));
        wide.count(new ThrottleEvent.Kind("client:a", "/mcp", "a", "channel", ThrottleEvent.Decision.THROTTLED));
        wide.count(new ThrottleEvent.Kind("client:a", "/mcp", "a", "tool", ThrottleEvent.Decision.WOULD_THROTTLE));
        assertThat(wide.takeAll()).hasSize(5).allMatch(event -> event.calls() == 1);
    }

    @Test
    void theRunningSecondIsTakenAtTheEnd() {
        tally.count(kind("a"));
        assertThat(tally.takeAll()).containsExactly(new ThrottleEvent(NOON, kind("a"), 1));
    }

    @Test
    void secondsThatAClockThatWentBackHasLeftAheadAreTaken() {
        tally.count(kind("a"));
        millis.addAndGet(-3_600_000);
        assertThat(tally.takeFinished()).containsExactly(new ThrottleEvent(NOON, kind("a"), 1));
    }

    @Test
    void beyondTheGreatestNumberOfKindsKnownOnesGoOnAndNewOnesAreCountedAsDropped() {
        for (String tool : List.of("a", "b", "c", "d", "e", "a")) {
            tally.count(kind(tool));
        }
        assertThat(tally.dropped()).isEqualTo(2);
        assertThat(tally.takeAll())
                .containsExactlyInAnyOrder(
                        new ThrottleEvent(NOON, kind("a"), 2),
                        new ThrottleEvent(NOON, kind("b"), 1),
                        new ThrottleEvent(NOON, kind("c"), 1));
        tally.count(kind("d"));
        assertThat(tally.takeAll()).as("there is room again").hasSize(1);
        assertThat(tally.dropped()).isEqualTo(2);
    }

    @Test
    void anEventOfNoCallsIsRefused() {
        assertThatThrownBy(() -> new ThrottleEvent(NOON, kind("a"), 0)).hasMessageContaining("at least 1 call, not 0");
    }

    @Tag(Effort.STORM)
    @Test
    void noCallIsLostOrToldTwiceWhileManyThreadsCountAndOneTakes() throws Exception {
        AtomicLong ticks = new AtomicLong();
        // Every reading of the clock is in another second than most others, so that taking meets counting.
        ThrottleTally busy = new ThrottleTally(1_000_000, () -> Instant.ofEpochMilli(ticks.incrementAndGet() * 50));
        CountDownLatch counting = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            new Thread(() -> {
                        for (int n = 0; n < 50_000; n++) {
                            busy.count(kind("a"));
                        }
                        counting.countDown();
                    })
                    .start();
        }
        List<ThrottleEvent> events = new ArrayList<>();
        while (counting.getCount() > 0) {
            events.addAll(busy.takeFinished());
        }
        events.addAll(busy.takeAll());
        assertThat(events.stream().mapToLong(ThrottleEvent::calls).sum()).isEqualTo(200_000);
        assertThat(busy.dropped()).isZero();
    }
}
