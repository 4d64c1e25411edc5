package dev.weir.ban;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** From throttles to a ban. */
class BanBookTest {

    private static final BanTerm TERM = new BanTerm(Duration.ofMinutes(15), 2, Duration.ofDays(1), Duration.ofDays(7));
    private static final BanRule RULE =
            new BanRule(5, Duration.ofSeconds(10), TERM, BanRule.Scope.TOOLS, BanRule.Count.INFORMED);

    private long nanos = Long.MAX_VALUE - 1_000_000_000;
    private Instant now = Instant.parse("2026-11-30T06:30:00.123456789Z");
    private final MemoryHistory history = new MemoryHistory();
    private final AtomicInteger ids = new AtomicInteger();
    private final BanBook book =
            new BanBook(history, BanWatch.NONE, () -> now, () -> nanos, () -> "ban-" + ids.incrementAndGet());

    private void pass(double seconds) {
        long step = Math.round(seconds * 1e9);
        nanos += step;
        now = now.plusNanos(step);
    }

    private Call call() {
        return new Call("/mcp", "inspect_table_schema", "tool", nanos, () -> null);
    }

    /** One throttle, whose answer is written as soon as it may be, and read at once. */
    private BanBook.Strike throttle(String principal, BanRule rule) {
        BanBook.Strike strike = book.strike(principal, call(), rule);
        pass(strike.holdNanos() / 1e9);
        strike.answered().run();
        pass(1e-9);
        return strike;
    }

    private BanBook.Strike throttle(String principal) {
        return throttle(principal, RULE);
    }

    private static BanRule rule(int threshold, BanRule.Count count) {
        return new BanRule(threshold, RULE.window(), TERM, BanRule.Scope.ALL, count);
    }

    @Test
    void fiveThrottlesAreBorneAndTheSixthIsABanOfWhichEverythingIsTold() {
        for (int i = 1; i <= 5; i++) {
            assertThat(throttle("client:a").ban()).isNull();
        }
        BanBook.Strike sixth = throttle("client:a");

        assertThat(sixth.strikes()).isEqualTo(6);
        assertThat(sixth.holdNanos())
                .as("a ban waits for nothing but its commit")
                .isZero();
        Ban ban = history.recorded().get(0);
        assertThat(Objects.requireNonNull(sixth.ban()).ban()).isEqualTo(ban);
        assertThat(ban.principal()).isEqualTo("client:a");
        assertThat(ban.strikes()).isEqualTo(6);
        assertThat(ban.escalation()).isZero();
        assertThat(ban.reason()).isEqualTo("6 throttles in 10s on [inspect_table_schema]");
        assertThat(Duration.between(ban.startedAt(), ban.expiresAt())).isEqualTo(Duration.ofMinutes(15));
        assertThat(ban.evidence()).hasSize(6).extracting(Ban.Evidence::tool).containsOnly("inspect_table_schema");
        assertThat(book.find("client:a")).isSameAs(sixth.ban());
        assertThat(book.find("client:b")).isNull();
    }

    /** O54: so many milliseconds from the first strike to the sixth. */
    @Test
    void theSixthStrikeIsABanInsideTenSecondsAndNoneAtTenSecondsOrMore() {
        for (long millis : new long[] {0, 1_000, 9_999, 10_000, 10_001, 10_100}) {
            String principal = "client:" + millis;
            long first = nanos;
            for (int i = 0; i < 5; i++) {
                assertThat(throttle(principal, rule(5, BanRule.Count.EVERY)).ban())
                        .isNull();
            }
            pass(millis / 1e3 - (nanos - first) / 1e9);
            nanos = first + millis * 1_000_000;
            boolean banned = throttle(principal, rule(5, BanRule.Count.EVERY)).ban() != null;
            assertThat(banned).as("%d ms", millis).isEqualTo(millis < 10_000);
        }
    }

    @Test
    void callsThatArriveBeforeTheAnswerIsWrittenAreOneStrikeAndAllAnsweredAtTheSameMoment() {
        long begun = nanos;
        List<BanBook.Strike> together = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            BanBook.Strike strike = book.strike("client:a", call(), RULE);
            together.add(strike);
            assertThat(nanos - begun + strike.holdNanos()).isEqualTo(Strikes.HOLD_NANOS);
            pass(0.004);
        }
        assertThat(together).extracting(BanBook.Strike::strikes).containsOnly(1);

        nanos = begun + Strikes.HOLD_NANOS;
        Call justBefore = call();
        together.forEach(strike -> strike.answered().run());
        pass(0.001);
        assertThat(book.strike("client:a", justBefore, RULE))
                .as("had arrived when the answer was written")
                .satisfies(strike -> {
                    assertThat(strike.strikes()).isEqualTo(1);
                    assertThat(strike.holdNanos()).isZero();
                });
        assertThat(book.strike("client:a", call(), RULE).strikes()).isEqualTo(2);
    }

    @Test
    void anAnswerThatIsNeverWrittenCountsAsReadAfterASecond() {
        book.strike("client:a", call(), RULE);
        pass(0.999_999_999);
        assertThat(book.strike("client:a", call(), RULE).strikes()).isEqualTo(1);
        pass(0.000_000_001);
        assertThat(book.strike("client:a", call(), RULE).strikes()).isEqualTo(2);
    }

    @Test
    void aLateWordOfAnAnswerSaysNothingOfTheNextStrike() {
        BanBook.Strike first = book.strike("client:a", call(), RULE);
        pass(1);
        assertThat(book.strike("client:a", call(), RULE).strikes()).isEqualTo(2);
        first.answered().run();
        pass(0.01);
        assertThat(book.strike("client:a", call(), RULE).strikes()).isEqualTo(2);
    }

    @Test
    void aLoopThatIgnoresItsAnswersIsBannedHoweverManyOfItsCallsAreUnderway() {
        record Due(long nanos, Runnable answered) {}
        List<Due> due = new ArrayList<>();
        int calls = 0;
        while (history.recorded().isEmpty() && calls < 200) {
            due.stream()
                    .filter(one -> one.nanos() - nanos <= 0)
                    .forEach(one -> one.answered().run());
            BanBook.Strike strike = book.strike("client:a", call(), RULE);
            due.add(new Due(nanos + strike.holdNanos(), strike.answered()));
            pass(1 / 140.0);
            calls++;
        }
        assertThat(history.recorded()).hasSize(1);
        assertThat(calls).isLessThan(70);
    }

    @Test
    void ofAFloodOnlySoManyAnswersAreHeldBackAndTheOthersDoNotCountAsRead() {
        for (int i = 0; i < 10_000; i++) {
            BanBook.Strike strike = book.strike("client:a", call(), RULE);
            assertThat(strike.strikes()).isEqualTo(1);
            if (i < Strikes.MAX_HELD) {
                assertThat(strike.holdNanos()).isPositive();
            } else {
                assertThat(strike.holdNanos()).isZero();
                strike.answered().run();
                nanos++;
            }
        }
        assertThat(history.recorded()).isEmpty();
    }

    @Test
    void everyThrottleCountsWhereTheRuleSaysSoAndNoAnswerIsHeldBack() {
        BanRule every = rule(2, BanRule.Count.EVERY);
        assertThat(book.strike("client:a", call(), every).holdNanos()).isZero();
        assertThat(book.strike("client:a", call(), every).strikes()).isEqualTo(2);
        assertThat(book.strike("client:a", call(), every).ban()).isNotNull();
        assertThat(history.recorded().get(0).scope()).isEqualTo(BanRule.Scope.ALL);
    }

    @Test
    void theThresholdAndTheWindowAreTheRules() {
        BanRule short1 = new BanRule(0, Duration.ofSeconds(1), TERM, BanRule.Scope.TOOLS, BanRule.Count.EVERY);
        assertThat(throttle("client:a", short1).ban()).as("threshold 0").isNotNull();
        BanRule short2 = new BanRule(1, Duration.ofSeconds(2), TERM, BanRule.Scope.TOOLS, BanRule.Count.EVERY);
        throttle("client:b", short2);
        pass(2);
        assertThat(throttle("client:b", short2).ban()).isNull();
        pass(1.9);
        assertThat(throttle("client:b", short2).ban()).isNotNull();
    }

    @Test
    void refusalsWhileBannedAreNoStrikesAndDoNotExtendTheBan() {
        Ban ban = ban("client:a");
        for (int i = 0; i < 50; i++) {
            BanBook.Strike strike = throttle("client:a", rule(5, BanRule.Count.EVERY));
            assertThat(strike.strikes()).isZero();
            assertThat(Objects.requireNonNull(strike.ban()).ban()).isEqualTo(ban);
        }
        assertThat(history.recorded()).containsExactly(ban);
    }

    @Test
    void aBanEndsByItselfAndTheNextOneNeedsSixStrikesAgain() {
        Ban ban = ban("client:a");
        now = ban.expiresAt().minusMillis(1);
        assertThat(book.find("client:a")).isNotNull();
        now = ban.expiresAt();
        assertThat(book.find("client:a")).isNull();
        assertThat(throttle("client:a").strikes()).isEqualTo(1);
        book.sweep(RULE);
        assertThat(book.find("client:a")).isNull();
    }

    @Test
    void strikesThatHaveSlidOutOfTheWindowAreForgotten() {
        throttle("client:a");
        pass(10);
        book.sweep(RULE);
        assertThat(throttle("client:a").strikes()).isEqualTo(1);
    }

    /** O46. */
    @Test
    void aFloodOfOffendersIsNotCountedBeyondACapAndEvictsNoBan() {
        ban("client:a");
        for (int i = 0; i < BanBook.MAX_OFFENDERS; i++) {
            book.strike("address:" + i, call(), RULE);
        }
        assertThat(book.uncounted()).isZero();
        for (int i = 0; i < 10; i++) {
            assertThat(throttle("client:late").strikes()).isZero();
        }
        assertThat(book.uncounted()).isEqualTo(10);
        assertThat(book.find("client:a")).isNotNull();
        assertThat(throttle("address:7").strikes())
                .as("whoever is counted goes on being counted")
                .isPositive();

        pass(10);
        book.sweep(RULE);
        assertThat(throttle("client:late").strikes()).isEqualTo(1);
    }

    private Ban ban(String principal) {
        @Nullable Standing ban = null;
        while (ban == null) {
            ban = throttle(principal).ban();
        }
        return ban.ban();
    }
}
