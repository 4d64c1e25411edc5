package dev.weir.ban;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Bans that hold, end, are lifted, and are made by hand. */
class BansTest {

    private static final BanRule RULE = new BanRule(
            0,
            Duration.ofSeconds(10),
            new BanTerm(Duration.ofMinutes(15), 2, Duration.ofDays(1), Duration.ofDays(7)),
            BanRule.Scope.TOOLS,
            BanRule.Count.EVERY);

    private final Instant start = Instant.parse("2026-11-30T06:30:00Z");
    private Instant now = start;
    private long nanos;
    private final MemoryHistory history = new MemoryHistory();
    private final AtomicInteger ids = new AtomicInteger();
    private final BanBook book =
            new BanBook(history, BanWatch.NONE, () -> now, () -> nanos, () -> "ban-" + ids.incrementAndGet());

    private Ban ban(String principal) {
        Call call = new Call("/mcp", "t", "tool", nanos, () -> null);
        return Objects.requireNonNull(book.strike(principal, call, RULE).ban()).ban();
    }

    private static Ban row(String id, String principal, BanRule.Scope scope, Instant from, Instant to) {
        return new Ban(id, principal, scope, "by hand", null, null, 0, 0, List.of(), 0, null, from, to);
    }

    private String found(String principal) {
        Standing standing = book.find(principal);
        return standing == null ? "none" : standing.ban().id();
    }

    @Test
    void aBanThatIsLiftedInTheHistoryIsLiftedHereAndOneMadeElsewhereHoldsHere() {
        history.liftByHand(ban("client:a").id());
        history.put(row("x", "client:b", BanRule.Scope.ALL, now, now.plusSeconds(60)));

        book.refresh();

        assertThat(found("client:a")).isEqualTo("none");
        assertThat(found("client:b")).isEqualTo("x");
        now = now.plusSeconds(60);
        assertThat(found("client:b")).isEqualTo("none");
    }

    @Test
    void aBanThatIsStillOnItsWayIntoTheHistoryIsNotTakenForLifted() {
        history.away();
        Ban ban = ban("client:a");
        book.refresh();
        assertThat(found("client:a")).isEqualTo(ban.id());

        history.back();
        book.refresh();
        assertThat(found("client:a")).isEqualTo(ban.id());
    }

    @Test
    void aRowThatIsChangedIsTakenOver() {
        Ban ban = ban("client:a");
        history.put(row(ban.id(), "client:a", BanRule.Scope.ALL, now, now.plusSeconds(5)));
        book.refresh();
        assertThat(Objects.requireNonNull(book.find("client:a")).shutsAll()).isTrue();
        now = now.plusSeconds(5);
        assertThat(found("client:a")).isEqualTo("none");
    }

    @Test
    void ofTwoBansBothHoldAndTheWiderIsSpokenOfWhileItLasts() {
        history.put(row("tools", "client:a", BanRule.Scope.TOOLS, now, now.plusSeconds(50)));
        history.put(row("tools-long", "client:a", BanRule.Scope.TOOLS, now, now.plusSeconds(100)));
        history.put(row("all", "client:a", BanRule.Scope.ALL, now, now.plusSeconds(10)));
        book.refresh();
        assertThat(found("client:a")).isEqualTo("all");
        now = now.plusSeconds(10);
        assertThat(found("client:a")).isEqualTo("tools-long");
        book.sweep(RULE);
        assertThat(found("client:a")).isEqualTo("tools-long");
        history.liftByHand("tools-long");
        book.refresh();
        assertThat(found("client:a")).isEqualTo("tools");
        now = now.plusSeconds(40);
        assertThat(found("client:a")).isEqualTo("none");
    }

    /** O43. */
    @Test
    void aStepOfTheClockMovesABansEndByThatStepAndNoMore() {
        Ban ban = ban("client:a");
        now = start.plusSeconds(3_600);
        book.refresh();
        book.sweep(RULE);
        assertThat(found("client:a")).as("an hour forward").isEqualTo("none");

        now = start.plusSeconds(60);
        book.refresh();
        assertThat(found("client:a")).as("and back again").isEqualTo(ban.id());

        now = start.minusSeconds(3_600);
        book.refresh();
        assertThat(Objects.requireNonNull(book.find("client:a")).remainingMillis(now.toEpochMilli()))
                .as("an hour back")
                .isEqualTo((3_600 + 900) * 1_000);
        now = start.plusSeconds(900);
        assertThat(found("client:a")).isEqualTo("none");
    }

    /** O44. */
    @Test
    void whatIsLeftOfABanIsNeverToldTooShort() {
        history.put(row("x", "client:a", BanRule.Scope.ALL, now, now.plusNanos(1_000_000_001)));
        book.refresh();
        Standing standing = Objects.requireNonNull(book.find("client:a"));
        assertThat(standing.remainingMillis(now.toEpochMilli())).isEqualTo(1_001);
        assertThat(standing.until()).isEqualTo("2026-11-30T06:30:02Z");
        now = now.plusMillis(1_000);
        assertThat(found("client:a")).isEqualTo("x");
        now = now.plusMillis(1);
        assertThat(found("client:a")).as("whoever waited so long is let in").isEqualTo("none");
        assertThat(standing.remainingMillis(now.toEpochMilli())).isEqualTo(1);
    }

    @Test
    void aBanMayEndBeyondAllThatCanBeCounted() {
        history.put(row("x", "client:a", BanRule.Scope.ALL, now, Instant.MAX.minusSeconds(1)));
        book.refresh();
        Standing standing = Objects.requireNonNull(book.find("client:a"));
        assertThat(standing.remainingMillis(now.toEpochMilli())).isPositive();
    }

    @Test
    void anOperatorBansAtOnceAndWhoAndWhyIsKept() {
        Standing standing = book.banByHand("client:a", BanRule.Scope.ALL, Duration.ofHours(2), "asked to stop", "ann");
        assertThat(book.find("client:a")).isSameAs(standing);
        assertThat(standing.recorded().toCompletableFuture()).isCompleted();
        assertThat(standing.why()).isEqualTo("(asked to stop)");
        assertThat(history.recorded()).singleElement().satisfies(ban -> {
            assertThat(ban.bannedBy()).isEqualTo("ann");
            assertThat(ban.strikes()).isZero();
            assertThat(ban.expiresAt()).isEqualTo(now.plusSeconds(7_200));
        });
        for (String reason : new String[] {"", " "}) {
            assertThatThrownBy(() -> book.banByHand("client:b", BanRule.Scope.ALL, Duration.ofHours(2), reason, "ann"))
                    .hasMessageContaining("reason");
        }
        assertThatThrownBy(() -> book.banByHand("client:b", BanRule.Scope.ALL, Duration.ZERO, "r", "ann"))
                .hasMessageContaining("duration must be above 0");
        assertThat(found("client:b")).isEqualTo("none");
    }

    @Test
    void anOperatorLiftsOneBanOfTwoAtOnceAlsoWhileTheHistoryIsAway() {
        Standing byHand = book.banByHand("client:a", BanRule.Scope.ALL, Duration.ofHours(2), "r", "ann");
        Standing other = book.banByHand("client:a", BanRule.Scope.TOOLS, Duration.ofHours(2), "r", "ann");
        history.away();
        var lifted = book.lift(byHand.ban().id(), "bob", "fixed").toCompletableFuture();
        assertThat(found("client:a")).isEqualTo(other.ban().id());
        book.refresh();
        book.refresh();
        assertThat(found("client:a"))
                .as("the row still says that it holds")
                .isEqualTo(other.ban().id());
        assertThat(lifted).isNotDone();

        history.back();
        assertThat(lifted).isCompletedWithValue(true);
        assertThat(history.lifted()).containsEntry(byHand.ban().id(), "bob: fixed");
        book.refresh();
        book.refresh();
        assertThat(found("client:a")).isEqualTo(other.ban().id());
    }

    @Test
    void aLiftThatAnOperatorTakesBackInTheHistoryIsTakenBackHere() {
        Ban ban = ban("client:a");
        book.lift(ban.id(), "bob", "by mistake");
        book.refresh();
        assertThat(found("client:a")).isEqualTo("none");
        history.lifted().remove(ban.id());
        book.refresh();
        assertThat(found("client:a")).isEqualTo(ban.id());
    }

    @Test
    void liftingWhatIsNoBanOrIsLiftedLiftsNothing() {
        Ban ban = ban("client:a");
        assertThat(book.lift("no-such", "bob", "r").toCompletableFuture()).isCompletedWithValue(false);
        assertThat(book.lift(ban.id(), "bob", "r").toCompletableFuture()).isCompletedWithValue(true);
        assertThat(book.lift(ban.id(), "bob", "r").toCompletableFuture()).isCompletedWithValue(false);
    }
}
