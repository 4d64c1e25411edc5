package dev.weir.ban;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Later bans last longer, and bans are forgotten. */
class EscalationTest {

    private static final Duration WEEK = Duration.ofDays(7);

    private Instant now = Instant.parse("2026-11-30T06:30:00Z");
    private long nanos;
    private BanTerm term = term(900, 2, 86_400, 7);
    private final MemoryHistory history = new MemoryHistory();
    private final AtomicInteger ids = new AtomicInteger();
    private BanBook book = start();

    private BanBook start() {
        BanBook fresh =
                new BanBook(history, BanWatch.NONE, () -> now, () -> nanos, () -> "ban-" + ids.incrementAndGet());
        fresh.refresh();
        fresh.refreshPrecedents(rule());
        return fresh;
    }

    private static BanTerm term(long first, double factor, long longest, long forget) {
        return new BanTerm(Duration.ofSeconds(first), factor, Duration.ofSeconds(longest), Duration.ofDays(forget));
    }

    private BanRule rule() {
        return new BanRule(0, Duration.ofSeconds(10), term, BanRule.Scope.TOOLS, BanRule.Count.EVERY);
    }

    private Ban ban(String principal) {
        Call call = new Call("/mcp", "t", "tool", nanos, () -> null);
        return Objects.requireNonNull(book.strike(principal, call, rule()).ban())
                .ban();
    }

    /** Bans, and waits until the ban has ended. */
    private long secondsOfBan(String principal) {
        Ban ban = ban(principal);
        now = ban.expiresAt();
        return Duration.between(ban.startedAt(), ban.expiresAt()).toSeconds();
    }

    @Test
    void aLaterBanLastsTwiceAsLongAsTheOneBeforeUpToADay() {
        for (long seconds : new long[] {900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 86_400}) {
            assertThat(secondsOfBan("client:a")).isEqualTo(seconds);
        }
        assertThat(history.recorded()).extracting(Ban::escalation).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(secondsOfBan("client:b")).isEqualTo(900);
    }

    @Test
    void theFactorAndTheLongestDurationAreTheRules() {
        term = term(100, 1.5, 200, 7);
        assertThat(secondsOfBan("client:a")).isEqualTo(100);
        assertThat(secondsOfBan("client:a")).isEqualTo(150);
        assertThat(secondsOfBan("client:a")).isEqualTo(200);
        term = term(100, 1, 1_000, 7);
        assertThat(secondsOfBan("client:a")).isEqualTo(100);
        term = term(100, 10, 1_000_000, 7);
        assertThat(secondsOfBan("client:a")).isEqualTo(1_000_000);
    }

    @Test
    void sevenQuietDaysFromItsEndABanIsForgotten() {
        secondsOfBan("client:a");
        now = now.plus(WEEK).minusMillis(1);
        assertThat(secondsOfBan("client:a")).isEqualTo(1_800);
        now = now.plus(WEEK);
        assertThat(secondsOfBan("client:a")).isEqualTo(900);
        term = term(900, 2, 86_400, 1);
        now = now.plus(Duration.ofDays(1));
        assertThat(secondsOfBan("client:a")).isEqualTo(900);
        term = term(900, 2, 86_400, 0);
        assertThat(secondsOfBan("client:a")).as("0 days: never longer").isEqualTo(900);
    }

    @Test
    void whatMakesBansLongerSurvivesARestartAndReachesOtherNodes() {
        secondsOfBan("client:a");
        secondsOfBan("client:a");
        book = start();
        assertThat(secondsOfBan("client:a")).isEqualTo(3_600);

        BanBook other = start();
        secondsOfBan("client:a");
        other.refreshPrecedents(rule());
        book = other;
        assertThat(secondsOfBan("client:a")).isEqualTo(900 * 16);
        now = now.plus(WEEK);
        book = start();
        assertThat(secondsOfBan("client:a")).isEqualTo(900);
    }

    @Test
    void aBanThatAnotherNodeMadeCountsAsSoonAsItIsSeenToHold() {
        BanBook other = start();
        Ban ban = ban("client:a");
        other.refresh();
        now = ban.expiresAt();
        other.refresh();
        book = other;
        assertThat(ban("client:a").escalation()).isEqualTo(1);
    }

    @Test
    void aBanThatSomebodyLiftedDoesNotCountFromThenOn() {
        Ban first = ban("client:a");
        history.liftByHand(first.id());
        book.refresh();
        assertThat(ban("client:a").escalation()).as("seen lifted").isZero();

        book.lift("ban-2", "ann", "bug fixed");
        assertThat(ban("client:a").escalation()).as("lifted here").isZero();
        book.refreshPrecedents(rule());

        now = history.recorded().get(2).expiresAt();
        book.lift("ban-3", "ann", "forgiven after it ended");
        assertThat(ban("client:a").escalation()).isZero();
    }

    @Test
    void aBanThatIsSeenToHoldOrThatSomebodyElseGotCountsOn() {
        ban("client:b");
        Ban ban = ban("client:a");
        book.refreshPrecedents(rule());
        book.refresh();
        book.lift(ban("client:c").id(), "ann", "bug fixed");
        book.lift("ban-1", "ann", "bug fixed");
        now = ban.expiresAt();
        assertThat(ban("client:a").escalation()).isEqualTo(1);
    }

    @Test
    void aBanThatSomebodyLiftedDoesNotCountThoughAnotherOneHolds() {
        Ban first = ban("client:a");
        Standing other = book.banByHand("client:a", BanRule.Scope.ALL, Duration.ofSeconds(30), "r", "ann");
        history.liftByHand(first.id());
        book.refresh();
        assertThat(book.find("client:a")).extracting(Standing::ban).isEqualTo(other.ban());
        now = other.ban().expiresAt();
        assertThat(ban("client:a").escalation()).isZero();
    }

    @Test
    void aLiftOfOneClientsBanLeavesThoseOfOthersThatTheHistoryHasNotToldOf() {
        Ban ban = ban("client:a");
        book.lift(ban("client:b").id(), "ann", "bug fixed");
        now = ban.expiresAt();
        assertThat(ban("client:a").escalation()).isEqualTo(1);
        assertThat(ban("client:b").escalation()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBanThatIsLiftedAfterItIsGoneFromHereCountsNoMoreAndThoseOfOthersDo(boolean toldByTheHistory) {
        Ban ban = ban("client:a");
        ban("client:b");
        now = ban.expiresAt();
        book.refresh();
        if (toldByTheHistory) {
            book.refreshPrecedents(rule());
        }
        book.lift(ban.id(), "ann", "forgiven after it ended");
        assertThat(ban("client:a").escalation()).isZero();
        assertThat(ban("client:b").escalation()).isEqualTo(1);
    }

    @Test
    void ofManyBansOnlyTheOneThatIsNamedIsLifted() {
        List<Ban> bans = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            bans.add(ban("client:" + i));
        }
        book.lift(bans.get(4).id(), "ann", "bug fixed");
        for (Ban ban : bans) {
            assertThat(book.find(ban.principal()) != null)
                    .isEqualTo(!ban.id().equals(bans.get(4).id()));
        }
    }

    @Test
    void aLaterBanOfAnotherNodeIsTheOneThatCounts() {
        secondsOfBan("client:a");
        book.refreshPrecedents(rule());
        BanBook here = book;
        book = start();
        secondsOfBan("client:a");
        secondsOfBan("client:a");
        book = here;
        book.refreshPrecedents(rule());
        assertThat(ban("client:a").escalation()).isEqualTo(3);
    }

    @Test
    void afterALiftTheBanBeforeCountsAgain() {
        secondsOfBan("client:a");
        Ban second = ban("client:a");
        assertThat(second.escalation()).isEqualTo(1);
        book.lift(second.id(), "ann", "bug fixed");
        book.refreshPrecedents(rule());
        assertThat(ban("client:a").escalation()).isEqualTo(1);
    }

    @Test
    void bansByHandDoNotCount() {
        book.banByHand("client:a", BanRule.Scope.ALL, Duration.ofHours(2), "r", "ann");
        now = now.plus(Duration.ofHours(2));
        book.refreshPrecedents(rule());
        assertThat(secondsOfBan("client:a")).isEqualTo(900);
    }

    @Test
    void addressesNeverEscalateBecauseThereMayBeManyBehindOne() {
        for (String principal : new String[] {"address:192.0.2.1", "agent:192.0.2.1 curl"}) {
            assertThat(secondsOfBan(principal)).isEqualTo(900);
            assertThat(secondsOfBan(principal)).isEqualTo(900);
        }
    }

    @Test
    void whatIsNotInTheHistoryYetIsNotForgotten() {
        history.away();
        secondsOfBan("client:a");
        book.refreshPrecedents(rule());
        assertThat(secondsOfBan("client:a")).isEqualTo(1_800);
        history.back();
        book.refreshPrecedents(rule());
        book.refreshPrecedents(rule());
        assertThat(secondsOfBan("client:a")).isEqualTo(3_600);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 2, 900, 7, duration must be above 0",
        "900, 0.9, 900, 7, escalation_factor must be from 1 to 10",
        "900, 10.1, 900, 7, escalation_factor must be from 1 to 10",
        "900, NaN, 900, 7, escalation_factor must be from 1 to 10",
        "900, 2, 899, 7, 'max_duration_seconds must be at least duration_seconds, 900, and at most 3650 days, not 899'",
        "900, 2, 900, -1, forget_days must be from 0 to 3650",
        "900, 2, 900, 3651, forget_days must be from 0 to 3650"
    })
    void aTermThatCannotWorkIsRefusedByName(long first, double factor, long longest, long forget, String rule) {
        assertThatThrownBy(() -> term(first, factor, longest, forget)).hasMessageContaining(rule);
    }
}
