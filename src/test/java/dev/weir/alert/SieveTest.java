package dev.weir.alert;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SieveTest {

    private static final Duration WINDOW = Duration.ofMinutes(5);
    private static final int PER_MINUTE = 10;

    // Before the clock wraps, so that it does under the tests.
    private final AtomicLong nanos =
            new AtomicLong(Long.MAX_VALUE - Duration.ofMinutes(2).toNanos());
    private final Sieve sieve = new Sieve(new AlertRules.Once(WINDOW, PER_MINUTE), nanos::get);

    private List<Sieve.Passed> offer(News news) {
        return sieve.offer(news, Samples.TIME);
    }

    private List<Sieve.Passed> due() {
        return sieve.due(Samples.TIME);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void theSameThingIsToldOnceAndThenAsANumberAtTheEndOfTheWindow() {
        News news = Samples.banned("c1");
        assertThat(offer(news)).containsExactly(new Sieve.Passed(news, Samples.TIME, 0));
        News last = BanNews.banned(Samples.ban("c1", "other", "again"));
        assertThat(offer(news)).isEmpty();
        assertThat(sieve.offer(last, Samples.TIME.plusSeconds(7))).isEmpty();
        pass(WINDOW.minusNanos(1));
        assertThat(due()).isEmpty();
        pass(Duration.ofNanos(1));
        assertThat(due()).containsExactly(new Sieve.Passed(last, Samples.TIME.plusSeconds(7), 2));
        assertThat(sieve.heldBack()).isEqualTo(2);
    }

    @Test
    void whatGoesOnIsToldOnceAWindow() {
        News news = Samples.banned("c1");
        int told = offer(news).size();
        for (int i = 0; i < 3 * 60 * 5; i++) {
            pass(Duration.ofSeconds(1));
            told += due().size() + offer(news).size();
        }
        assertThat(told).isEqualTo(1 + 3);
    }

    @Test
    void afterAQuietWindowItIsToldAtOnceAndStandsForItselfOnly() {
        News news = Samples.banned("c1");
        offer(news);
        pass(WINDOW);
        assertThat(due()).isEmpty();
        assertThat(offer(news)).containsExactly(new Sieve.Passed(news, Samples.TIME, 0));
    }

    @Test
    void whatIsHeldBackIsToldByWhoeverComesFirstAfterTheWindow() {
        News news = Samples.banned("c1");
        offer(news);
        offer(news);
        pass(WINDOW);
        assertThat(offer(Samples.banned("c2")))
                .extracting(each -> each.news().subject(), Sieve.Passed::repeated)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("c1", 1), org.assertj.core.groups.Tuple.tuple("c2", 0));
    }

    @Test
    void otherThingsAndOtherKindsOfThingsAreNotHeldBack() {
        assertThat(offer(Samples.banned("c1"))).hasSize(1);
        assertThat(offer(Samples.banned("c2"))).hasSize(1);
        assertThat(offer(BanNews.unbanned(Samples.ban("c1", null, "x"), true))).hasSize(1);
        assertThat(offer(HouseNews.breakerOpened("/a", "x", Duration.ZERO))).hasSize(1);
        assertThat(offer(HouseNews.breakerOpened("/b", "x", Duration.ZERO))).hasSize(1);
        assertThat(offer(HouseNews.policyRejected(List.of("a")))).hasSize(1);
        assertThat(offer(HouseNews.policyRejected(List.of("a", "b")))).hasSize(1);
        assertThat(offer(HouseNews.policyRejected(List.of("a")))).isEmpty();
        assertThat(offer(HouseNews.databaseAway("x"))).hasSize(1);
        assertThat(offer(HouseNews.databaseAway("y"))).isEmpty();
    }

    @Test
    void aFloodOfDifferentThingsIsToldAsANumber() {
        int flood = 5_000;
        int told = 0;
        for (int i = 0; i < flood; i++) {
            told += offer(Samples.banned("c" + i)).size();
        }
        assertThat(told).isEqualTo(PER_MINUTE);
        assertThat(sieve.heldBack()).isEqualTo(flood - PER_MINUTE);
        pass(Duration.ofMinutes(1));
        List<Sieve.Passed> summary = due();
        assertThat(summary).hasSize(1);
        assertThat(summary.get(0).repeated()).isEqualTo(flood - PER_MINUTE);
        assertThat(summary.get(0).news().title()).isEqualTo(flood - PER_MINUTE + " more bans");
        assertThat(summary.get(0).news().event()).isEqualTo(AlertEvent.BANNED);
        assertThat(due()).isEmpty();
    }

    @Test
    void nothingIsLostSilentlyInALongFlood() {
        int told = 0;
        int offered = 0;
        for (int second = 0; second < 600; second++) {
            pass(Duration.ofSeconds(1));
            for (Sieve.Passed each : due()) {
                told += Math.max(1, each.repeated());
            }
            for (int i = 0; i < 20; i++) {
                offered++;
                for (Sieve.Passed each : offer(Samples.banned("c" + offered % 37))) {
                    told += Math.max(1, each.repeated());
                }
            }
        }
        for (Sieve.Passed each : sieve.rest(Samples.TIME)) {
            told += Math.max(1, each.repeated());
        }
        assertThat(told).isEqualTo(offered);
    }
}
