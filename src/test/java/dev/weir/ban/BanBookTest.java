package dev.weir.ban;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BanBookTest {

    private static final BanRule RULE =
            new BanRule(5, Duration.ofSeconds(10), Duration.ofMinutes(15), BanRule.Scope.TOOLS, BanRule.Count.INFORMED);

    private long nanos = Long.MAX_VALUE - 1_000_000_000;
    private Instant now = Instant.parse("2026-11-30T06:30:00Z");
    private final List<Ban> recorded = new ArrayList<>();
    private final List<Ban> elsewhere = new ArrayList<>();
    private CompletableFuture<Void> commit = CompletableFuture.completedFuture(null);
    private final AtomicInteger ids = new AtomicInteger();
    private final BanBook book =
            new BanBook(new Memory(), () -> now, () -> nanos, () -> "ban-" + ids.incrementAndGet());

    private final class Memory implements BanHistory {
        @Override
        public CompletionStage<Void> record(Ban ban) {
            recorded.add(ban);
            return commit;
        }

        @Override
        public List<Ban> activeAt(Instant at) {
            return List.copyOf(elsewhere);
        }
    }

    private void pass(double seconds) {
        long step = Math.round(seconds * 1e9);
        nanos += step;
        now = now.plusNanos(step);
    }

    private Call call(@Nullable String lane) {
        return new Call("/mcp", "inspect_table_schema", "tool", nanos, lane);
    }

    /** One throttle on a connection that carries one call after the other, answered at once. */
    private BanBook.Strike throttle(String principal) {
        BanBook.Strike strike = book.strike(principal, call("lane-" + principal), RULE);
        strike.answered().run();
        return strike;
    }

    @Test
    void fiveThrottlesAreBorneAndTheSixthInsideTheWindowIsABan() {
        for (int i = 1; i <= 5; i++) {
            assertThat(throttle("client:a").ban()).isNull();
            pass(1.99);
        }
        BanBook.Strike sixth = throttle("client:a");

        assertThat(sixth.strikes()).isEqualTo(6);
        Ban ban = recorded.get(0);
        assertThat(sixth.ban()).isNotNull();
        assertThat(ban.principal()).isEqualTo("client:a");
        assertThat(ban.strikes()).isEqualTo(6);
        assertThat(ban.reason()).isEqualTo("6 throttles in 10s on [inspect_table_schema]");
        assertThat(Duration.between(ban.startedAt(), ban.expiresAt())).isEqualTo(Duration.ofMinutes(15));
        assertThat(ban.evidence()).hasSize(6).extracting(Ban.Evidence::tool).containsOnly("inspect_table_schema");
        assertThat(book.find("client:a")).isNotNull();
        assertThat(book.find("client:b")).isNull();
    }

    @Test
    void theSixthThrottleTenSecondsAndABitAfterTheFirstIsNone() {
        for (int i = 0; i < 5; i++) {
            throttle("client:a");
            pass(2.02);
        }
        BanBook.Strike sixth = throttle("client:a");

        assertThat(sixth.ban()).isNull();
        assertThat(sixth.strikes()).isEqualTo(5);
        assertThat(recorded).isEmpty();
    }

    @Test
    void callsThatWereSentBeforeAnyAnswerCouldBeReadCountAsOne() {
        List<BanBook.Strike> strikes = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            strikes.add(book.strike("client:a", call("lane-" + i), RULE));
            pass(0.001);
        }
        assertThat(strikes).extracting(BanBook.Strike::strikes).containsOnly(1);

        strikes.forEach(strike -> strike.answered().run());
        pass(0.0001);
        assertThat(book.strike("client:a", call("lane-99"), RULE).strikes())
                .as("still on its way")
                .isEqualTo(1);
        pass(0.05);
        assertThat(book.strike("client:a", call("lane-99"), RULE).strikes()).isEqualTo(2);
    }

    @Test
    void aLoopThatIgnoresItsAnswersIsBannedHoweverManyConnectionsItUses() {
        int calls = 0;
        while (recorded.isEmpty() && calls < 200) {
            book.strike("client:a", call("lane-" + calls % 7), RULE).answered().run();
            pass(1 / 140.0);
            calls++;
        }
        assertThat(recorded).hasSize(1);
        assertThat(calls).isLessThan(70);
    }

    @Test
    void theNextCallOnTheSameConnectionWasSentByOneWhoHasReadTheAnswer() {
        for (int i = 0; i < 5; i++) {
            assertThat(book.strike("client:a", call("one"), RULE).ban()).isNull();
        }
        assertThat(book.strike("client:a", call("one"), RULE).ban()).isNotNull();
    }

    @Test
    void everyThrottleCountsWhereTheRuleSaysSo() {
        BanRule every = new BanRule(2, RULE.window(), RULE.duration(), BanRule.Scope.ALL, BanRule.Count.EVERY);
        book.strike("client:a", call(null), every);
        book.strike("client:a", call(null), every);
        assertThat(book.strike("client:a", call(null), every).ban()).isNotNull();
        assertThat(recorded.get(0).scope()).isEqualTo(BanRule.Scope.ALL);
    }

    @Test
    void aBanEndsByItselfAndTheNextOneNeedsSixStrikesAgain() {
        for (int i = 0; i < 6; i++) {
            throttle("client:a");
        }
        pass(899.9);
        assertThat(book.find("client:a")).isNotNull();
        pass(0.1);
        assertThat(book.find("client:a")).isNull();
        assertThat(throttle("client:a").strikes()).isEqualTo(1);
    }

    @Test
    void aBanThatIsLiftedInTheHistoryIsLiftedHereAndOneMadeElsewhereHoldsHere() {
        for (int i = 0; i < 6; i++) {
            throttle("client:a");
        }
        Ban theirs = new Ban(
                "x", "client:b", BanRule.Scope.ALL, "by hand", null, null, 0, 0, List.of(), now, now.plusSeconds(60));
        elsewhere.add(theirs);

        book.refresh();

        assertThat(book.find("client:a")).as("not in the history, so lifted").isNull();
        assertThat(book.find("client:b")).isNotNull();
        pass(60);
        assertThat(book.find("client:b")).isNull();
    }

    @Test
    void aBanThatIsStillOnItsWayIntoTheHistoryIsNotTakenForLifted() {
        commit = new CompletableFuture<>();
        for (int i = 0; i < 6; i++) {
            throttle("client:a");
        }
        book.refresh();
        assertThat(book.find("client:a")).isNotNull();

        commit.complete(null);
        elsewhere.add(recorded.get(0));
        book.refresh();
        assertThat(book.find("client:a")).isNotNull();
    }

    @Test
    void strikesThatHaveSlidOutOfTheWindowAreForgotten() {
        throttle("client:a");
        pass(10);
        book.sweep(RULE);
        assertThat(throttle("client:a").strikes()).isEqualTo(1);
    }
}
