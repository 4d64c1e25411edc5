package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How accounts come and go, and what is kept of them over a restart. */
class AccountsTest {

    private static final long SECOND = 1_000_000_000L;
    private static final Tier HEAVY = new Tier("heavy", Limit.of(2, 5), 30 * SECOND, 0, 0, Tier.Mode.ENFORCE);
    private static final Charge TOOL = charge(new BucketName(Level.TOOL, "/mcp", "t"), HEAVY);
    private static final Charge CHANNEL =
            charge(new BucketName(Level.CHANNEL, "/mcp", ""), Tier.of("channel", Limit.of(1, 2)));
    private static final Charge GLOBAL =
            charge(new BucketName(Level.GLOBAL, "", ""), Tier.of("global", Limit.of(1, 2)));

    private final ManualClock clock = new ManualClock(Long.MAX_VALUE - 1_000);

    private static Charge charge(BucketName name, Tier tier) {
        return new Charge(List.of(new Take(name, tier, 1)));
    }

    private static List<BucketDebt> saved(LocalBuckets buckets) {
        List<BucketDebt> debts = new ArrayList<>();
        buckets.saveTo(keeping(debts));
        return debts;
    }

    private static BucketSnapshots keeping(List<BucketDebt> debts) {
        return new BucketSnapshots() {
            @Override
            public void save(List<BucketDebt> more) {
                debts.addAll(more);
            }

            @Override
            public void load(Consumer<BucketDebt> each) {
                debts.forEach(each);
            }
        };
    }

    private static Outcome.Refused drain(LocalBuckets buckets, String principal, Charge charge) {
        while (true) {
            if (buckets.take(principal, charge) instanceof Outcome.Refused refused) {
                return refused;
            }
        }
    }

    @Test
    void wideBucketsOfOnePrincipalAreForgottenOnceTheyAreFull() {
        LocalBuckets buckets = new LocalBuckets(10, clock);
        drain(buckets, "client:a", CHANNEL);
        clock.advanceNanos(2 * SECOND - 1);
        buckets.sweep();
        assertThat(buckets.principals()).isOne();
        clock.advanceNanos(1);
        buckets.sweep();
        assertThat(buckets.principals()).isZero();
    }

    @Test
    void whoeverIsRefusedBeforeItHasTakenAnythingHasNoAccount() {
        LocalBuckets buckets = new LocalBuckets(10, clock);
        drain(buckets, "client:a", GLOBAL);
        Charge both = new Charge(List.of(GLOBAL.takes().get(0), TOOL.takes().get(0)));
        assertThat(buckets.take("client:b", both)).isInstanceOf(Outcome.Refused.class);
        assertThat(buckets.principals()).isOne();
    }

    @Test
    void anAccountThatFindsRoomLateOwesWhatWasOwedByThoseWhoFoundNone() {
        LocalBuckets buckets = new LocalBuckets(1, clock);
        buckets.take("client:a", CHANNEL);
        assertThat(buckets.overflowed()).isZero();
        buckets.take("client:b", CHANNEL);
        assertThat(buckets.overflowed()).isOne();
        drain(buckets, "client:b", CHANNEL);
        drain(buckets, "client:b", TOOL);
        Charge slow = charge(new BucketName(Level.TOOL, "/mcp", "slow"), Tier.of("slow", Limit.of(0.01, 1)));
        drain(buckets, "client:b", slow);
        clock.advanceNanos(SECOND);
        buckets.sweep();
        assertThat(buckets.principals()).isZero();
        clock.advanceNanos(2 * SECOND);

        Charge other = charge(new BucketName(Level.TOOL, "/mcp", "other"), HEAVY);
        assertThat(buckets.take("client:c", other)).isInstanceOf(Outcome.Taken.class);
        assertThat(buckets.principals()).isOne();
        assertThat(((Outcome.Refused) buckets.take("client:c", TOOL)).waitNanos())
                .isEqualTo(27 * SECOND);
        assertThat(((Outcome.Refused) buckets.take("client:c", slow)).waitNanos())
                .isEqualTo(97 * SECOND);
        assertThat(saved(buckets))
                .filteredOn(debt -> debt.principal().equals("client:c"))
                .extracting(debt -> debt.bucket().tool())
                .as("the channel's bucket is full again")
                .containsExactlyInAnyOrder("t", "slow", "other");
    }

    @Test
    void whatIsOwedNoMoreOpensNoAccount() {
        LocalBuckets buckets = new LocalBuckets(1, clock);
        drain(buckets, "client:a", TOOL);
        clock.advanceNanos(30 * SECOND);
        List<BucketDebt> debts = saved(buckets);
        assertThat(debts).extracting(BucketDebt::fullNanos).containsExactly(0L);
        assertThat(debts).extracting(BucketDebt::shutNanos).containsExactly(0L);
        LocalBuckets next = new LocalBuckets(1, clock);
        next.restoreFrom(keeping(debts));
        assertThat(next.principals()).isZero();
    }

    @Test
    void aCoolDownThatHasBegunSinceTheLastTimeIsSaved() {
        LocalBuckets buckets = new LocalBuckets(10, clock);
        for (int i = 0; i < 5; i++) {
            assertThat(buckets.take("client:a", TOOL)).isInstanceOf(Outcome.Taken.class);
        }
        assertThat(saved(buckets)).singleElement().satisfies(debt -> {
            assertThat(debt.fullNanos()).isEqualTo(5 * SECOND / 2);
            assertThat(debt.shutNanos()).isZero();
            assertThat(debt.bucket().route()).isEqualTo("/mcp");
            assertThat(debt.bucket().tool()).isEqualTo("t");
        });
        assertThat(buckets.take("client:a", TOOL)).isInstanceOf(Outcome.Refused.class);
        assertThat(saved(buckets))
                .singleElement()
                .satisfies(debt -> assertThat(debt.shutNanos()).isEqualTo(30 * SECOND));
    }

    @Test
    void aBucketThatIsFullButCoolingDownIsRestored() {
        LocalBuckets buckets = new LocalBuckets(10, clock);
        drain(buckets, "client:a", TOOL);
        clock.advanceNanos(10 * SECOND);
        List<BucketDebt> debts = saved(buckets);
        assertThat(debts).extracting(BucketDebt::fullNanos).containsExactly(0L);

        LocalBuckets next = new LocalBuckets(10, clock);
        next.restoreFrom(keeping(debts));
        Outcome.Refused refused = (Outcome.Refused) next.take("client:a", TOOL);
        assertThat(refused.waitNanos()).isEqualTo(20 * SECOND);
    }

    @Test
    void aBucketThatIsInUseIsNotReplacedByWhatWasSaved() {
        LocalBuckets buckets = new LocalBuckets(10, clock);
        buckets.take("client:a", CHANNEL);
        List<BucketDebt> debts = saved(buckets);
        LocalBuckets next = new LocalBuckets(10, clock);
        drain(next, "client:a", CHANNEL);
        next.restoreFrom(keeping(debts));
        assertThat(next.take("client:a", CHANNEL)).isInstanceOf(Outcome.Refused.class);
    }

    @Test
    void ofThoseForWhomThereIsNoRoomNobodyComesBackWithMoreThanItHad() {
        LocalBuckets buckets = new LocalBuckets(10, clock);
        buckets.take("client:first", CHANNEL);
        buckets.take("client:little", TOOL);
        drain(buckets, "client:much", TOOL);
        List<BucketDebt> debts = saved(buckets).stream()
                .sorted(Comparator.comparing(BucketDebt::principal))
                .toList();
        for (List<BucketDebt> order : List.of(debts, List.of(debts.get(0), debts.get(2), debts.get(1)))) {
            LocalBuckets next = new LocalBuckets(1, clock);
            next.restoreFrom(keeping(order));
            assertThat(next.principals()).isOne();
            assertThat(((Outcome.Refused) next.take("client:much", TOOL)).waitNanos())
                    .as("shut as long as it was")
                    .isEqualTo(30 * SECOND);
            assertThat(saved(next))
                    .filteredOn(debt -> debt.bucket().tool().equals("t"))
                    .extracting(BucketDebt::fullNanos)
                    .containsExactly(debts.get(2).fullNanos());
        }
    }

    @Test
    void howeverManyToolsAPrincipalUsesEachBucketIsFoundAgain() {
        LocalBuckets buckets = new LocalBuckets(100, clock);
        Tier once = Tier.of("once", Limit.of(0.001, 1));
        for (int tools = 1; tools < 70; tools++) {
            String principal = "client:" + tools;
            for (int round = 0; round < 2; round++) {
                for (int tool = 0; tool < tools; tool++) {
                    Charge charge = charge(new BucketName(Level.TOOL, "/mcp", "tool_" + tool), once);
                    assertThat(buckets.take(principal, charge) instanceof Outcome.Taken)
                            .as("tool %s of %s, round %s", tool, tools, round)
                            .isEqualTo(round == 0);
                }
            }
        }
    }

    @Test
    void namesSpreadOverSmallTables() {
        Set<Integer> places = new HashSet<>();
        Set<Integer> hashes = new HashSet<>();
        for (int i = 0; i < 64; i++) {
            BucketName name = new BucketName(Level.TOOL, "/mcp", "tool_" + i);
            places.add(name.hashCode() & 63);
            hashes.add(name.hashCode());
        }
        assertThat(places).as("as many as chance would hit, or nearly").hasSizeGreaterThan(32);
        assertThat(hashes).hasSize(64);
    }
}
