package dev.weir.ban;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who watches is told of each ban once when it begins to hold, and once when it holds no more. */
class BanWatchTest {

    private Instant now = Instant.parse("2026-11-30T06:30:00Z");
    private final MemoryHistory history = new MemoryHistory();
    private final List<String> told = new ArrayList<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final BanBook book = book();

    private BanBook book() {
        BanWatch watch = new BanWatch() {
            @Override
            public void banned(Ban ban, boolean ours) {
                told.add((ours ? "ours " : "theirs ") + ban.id());
            }

            @Override
            public void unbanned(Ban ban, boolean lifted) {
                told.add((lifted ? "lifted " : "ended ") + ban.id());
            }
        };
        return new BanBook(history, watch, () -> now, () -> 0, () -> "own-" + ids.incrementAndGet());
    }

    private String banned() {
        return book.banByHand("client:a", BanRule.Scope.ALL, Duration.ofSeconds(60), "r", "ann")
                .ban()
                .id();
    }

    private void row(String id, BanRule.Scope scope) {
        history.put(
                new Ban(id, "client:b", scope, "r", null, null, 0, 0, List.of(), 0, null, now, now.plusSeconds(60)));
    }

    private void refresh() {
        book.refresh();
        book.refresh();
    }

    @Test
    void bansOfAnEarlierLifeAreCountedAndNotToldOf() {
        row("x", BanRule.Scope.ALL);
        row("y", BanRule.Scope.TOOLS);
        assertThat(book.restore()).isEqualTo(2);
        assertThat(book.active()).isEqualTo(2);
        assertThat(told).isEmpty();
        now = now.plusSeconds(60);
        assertThat(book.active()).isZero();
        refresh();
        assertThat(told).containsExactlyInAnyOrder("ended x", "ended y");
    }

    @Test
    void aBanOfOurOwnIsToldOfWhenItIsMadeAndNotWhenTheHistoryShowsIt() {
        banned();
        assertThat(told).containsExactly("ours own-1");
        refresh();
        now = now.plusSeconds(60);
        refresh();
        assertThat(told).containsExactly("ours own-1", "ended own-1");
    }

    @Test
    void aBanOfOurOwnThatIsLiftedElsewhereBeforeItWasEverReadIsTakenForLifted() {
        history.liftByHand(banned());
        refresh();
        assertThat(book.find("client:a")).isNull();
        assertThat(told).containsExactly("ours own-1", "lifted own-1");
    }

    @Test
    void aLiftIsToldOfAtOnceAndOnlyOnce() {
        String id = banned();
        refresh();
        history.away();
        var lifted = book.lift(id, "bob", "fixed");
        assertThat(told).containsExactly("ours own-1", "lifted own-1");
        refresh();
        history.back();
        assertThat(lifted.toCompletableFuture()).isCompletedWithValue(true);
        refresh();
        assertThat(told).containsExactly("ours own-1", "lifted own-1");
    }

    @Test
    void aBanMadeElsewhereIsToldOfOnceAlsoWhenItsRowIsAltered() {
        row("x", BanRule.Scope.TOOLS);
        refresh();
        row("x", BanRule.Scope.ALL);
        refresh();
        assertThat(told).containsExactly("theirs x");
        history.liftByHand("x");
        refresh();
        assertThat(told).containsExactly("theirs x", "lifted x");
    }

    @Test
    void aBanThatEndsBeforeTheHistoryHasItIsToldOfWhenItHas() {
        history.away();
        banned();
        now = now.plusSeconds(60);
        refresh();
        assertThat(book.find("client:a")).isNull();
        history.back();
        refresh();
        assertThat(told).containsExactly("ours own-1", "ended own-1");
    }
}
