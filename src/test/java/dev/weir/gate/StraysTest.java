package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyRejectedException;
import dev.weir.policy.PolicyRows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The names of tools without a row: kept, but not for whoever makes names up without end. */
class StraysTest {

    private Instant now = Instant.parse("2026-12-01T04:30:00Z");
    private final Strays strays = new Strays(() -> now);

    private static Policy policy(int routes, String... tools) {
        List<PolicyRows.Route> prefixes = new ArrayList<>();
        for (int i = 0; i < routes; i++) {
            prefixes.add(new PolicyRows.Route("/r" + i, "http://127.0.0.1:1/"));
        }
        List<PolicyRows.Tool> rows = new ArrayList<>();
        for (String tool : tools) {
            rows.add(new PolicyRows.Tool("/r0", "tool", tool, "standard", 1, true));
        }
        try {
            return Policy.compile(
                    new PolicyRows(
                            List.of(new PolicyRows.Tier("standard", 1, 5, 0, 0, 0, "enforce")),
                            prefixes,
                            rows,
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of()),
                    new PolicyBase(true, Limit.of(100, 50), Limit.of(1_000, 2_000), null));
        } catch (PolicyRejectedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theMostCalledComesFirstWithItsLastCall() {
        strays.count("/r0", "b");
        strays.count("/r0", "a");
        now = now.plusSeconds(3);
        strays.count("/r0", "a");
        assertThat(strays.of(policy(1)))
                .containsExactly(
                        new Strays.Stray("/r0", "a", 2, now), new Strays.Stray("/r0", "b", 1, now.minusSeconds(3)));
    }

    @Test
    void whatIsRegisteredByNowOrOnNoRouteIsNotTold() {
        strays.count("/r0", "a");
        strays.count("/r0", "b");
        strays.count("/r1", "c");
        assertThat(strays.of(policy(1, "a"))).extracting(Strays.Stray::name).containsExactly("b");
    }

    @Test
    void namesWithoutEndFindNoRoom() {
        for (int i = 0; i < 5_000; i++) {
            strays.count("/r" + i % 10, "made-up-" + i);
        }
        strays.count("/r0", "x".repeat(Strays.LONGEST_NAME + 1));
        List<Strays.Stray> all = strays.of(policy(10));
        assertThat(all).hasSize(Strays.MOST);
        assertThat(strays.unnamed()).isEqualTo(5_000 - Strays.MOST + 1);
        for (int i = 0; i < 1_000; i++) {
            strays.count("/r0", "again-" + i);
        }
        assertThat(strays.of(policy(1))).hasSizeLessThanOrEqualTo(Strays.MOST_OF_A_ROUTE);
    }

    @Test
    void oneRouteTakesNotTheRoomOfAll() {
        for (int i = 0; i < 5_000; i++) {
            strays.count("/r0", "made-up-" + i);
        }
        strays.count("/r1", "real");
        assertThat(strays.of(policy(2))).hasSize(Strays.MOST_OF_A_ROUTE + 1);
    }

    @Test
    void whereRoomIsScarceWhatNobodyCallsAgainGoesFirst() {
        strays.count("/r0", "real");
        strays.count("/r0", "real");
        for (int i = 0; i < Strays.MOST_OF_A_ROUTE; i++) {
            strays.count("/r0", "made-up-" + i);
        }
        strays.sweep();
        assertThat(strays.of(policy(1))).hasSize(Strays.MOST_OF_A_ROUTE);
        now = now.plus(Duration.ofMinutes(2));
        strays.sweep();
        assertThat(strays.of(policy(1))).extracting(Strays.Stray::name).containsExactly("real");
        strays.count("/r0", "another");
        assertThat(strays.of(policy(1))).hasSize(2);
    }

    @Test
    void whereThereIsRoomNothingGoes() {
        strays.count("/r0", "once");
        now = now.plus(Duration.ofDays(1));
        strays.sweep();
        assertThat(strays.of(policy(1))).hasSize(1);
    }
}
