package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.Identifier;
import dev.weir.auth.Identity;
import dev.weir.auth.KeyStrategy;
import dev.weir.auth.Principal;
import dev.weir.auth.Tokens;
import dev.weir.ban.BanBook;
import dev.weir.ban.BanWatch;
import dev.weir.ban.MemoryHistory;
import dev.weir.ban.ThrottleTally;
import dev.weir.limit.Effort;
import dev.weir.limit.Limit;
import dev.weir.limit.LocalBuckets;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.PolicyRejectedException;
import dev.weir.policy.PolicyRows;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What callers who have proven nothing cost in memory (case O46). */
class UnprovenCallersTest {

    private static final int ROOM = 100;

    private long nanos = 1_000;
    private final Instant now = Instant.parse("2026-11-30T06:30:00Z");
    private final PolicyBook policies = new PolicyBook(policy(), () -> now);
    private final LocalBuckets buckets = new LocalBuckets(ROOM, () -> nanos);
    private final LocalBuckets unproven = new LocalBuckets(ROOM, () -> nanos);
    private final BanBook bans = new BanBook(new MemoryHistory(), BanWatch.NONE, () -> now, () -> nanos, () -> "ban");
    private final Decisions decisions = new Decisions(new ThrottleTally(1_000, () -> now));
    private final Gatekeeper gate = new Gatekeeper(policies, buckets, unproven, bans, decisions);

    private static Policy policy(PolicyRows.Setting... settings) {
        PolicyRows rows = new PolicyRows(
                List.of(new PolicyRows.Tier("standard", 10, 20, 0, 0, 0, "enforce")),
                List.of(new PolicyRows.Route("/mcp", "http://127.0.0.1:1/mcp")),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(settings));
        try {
            return Policy.compile(rows, new PolicyBase(true, Limit.of(100, 50), Limit.of(1_000, 2_000), null));
        } catch (PolicyRejectedException e) {
            throw new AssertionError(e);
        }
    }

    private Verdict attempt(Identifier identifier, String bearer, String address, String agent) {
        Identity identity = identifier.identify("Bearer " + bearer, null, address, agent);
        return gate.decideUnproven(identity.caller().principal(), new Call("/mcp", Call.Kind.MESSAGE, null, nanos));
    }

    /** O46: a map entry for each credential that somebody makes up. */
    @ParameterizedTest
    @EnumSource
    void badCredentialsOfOneAddressMakeOneAccountHoweverManyTheyAre(KeyStrategy strategy) {
        Identifier identifier = new Identifier(policies, Tokens.NONE, strategy, true);
        int answered = 0;
        for (int i = 0; i < Effort.of(20_000); i++) {
            answered += attempt(identifier, "guess-" + i, "192.0.2.1", "agent-" + i) instanceof Verdict.Admit ? 1 : 0;
        }
        assertThat(answered).isEqualTo(20);
        assertThat(unproven.principals()).isOne();
        assertThat(buckets.principals()).isZero();
        nanos += 2_000_000_000L;
        unproven.sweep();
        assertThat(unproven.principals()).isZero();
    }

    /** O46: a map entry for each address. */
    @Test
    void badCredentialsOfManyAddressesTakeNoRoomFromThoseWhoHaveProvenThemselves() {
        Identifier identifier = new Identifier(policies, Tokens.NONE, KeyStrategy.CLIENT, true);
        for (int i = 0; i < Effort.of(20_000); i++) {
            attempt(identifier, "guess", "10.0." + i / 250 + "." + i % 250, "agent");
        }
        assertThat(unproven.principals()).isEqualTo(ROOM);
        assertThat(buckets.principals()).isZero();
    }

    private Verdict check() {
        return gate.decideUnchecked(Principal.address("192.0.2.1"), new Call("/mcp", Call.Kind.MESSAGE, null, nanos));
    }

    @Test
    void theCheckOfAGoodTokenCostsNothingAndThatOfABadOneItsAddress() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(check()).isInstanceOfSatisfying(Verdict.Admit.class, Verdict.Admit::cancel);
        }
        for (int i = 0; i < 20; i++) {
            assertThat(check()).isInstanceOfSatisfying(Verdict.Admit.class, Verdict.Admit::release);
        }
        assertThat(check())
                .isInstanceOfSatisfying(
                        Verdict.Throttle.class,
                        throttle -> assertThat(throttle.strikes()).isZero());
        assertThat(attempt(new Identifier(policies, Tokens.NONE, KeyStrategy.CLIENT, true), "guess", "192.0.2.1", "a"))
                .as("guesses of keys are paid from the same purse")
                .isInstanceOf(Verdict.Throttle.class);
    }

    /** A key that is on its way is waited for by so many of one address and no more. */
    @Test
    void atOneAddressSoManyTokensWaitToBeCheckedAndNoMore() {
        policies.replace(policy(
                new PolicyRows.Setting("unproven.requests_per_second", "1000"),
                new PolicyRows.Setting("unproven.burst", "90")));
        Verdict last = check();
        for (int waiting = 1; waiting < 100; waiting++) {
            assertThat(last).isInstanceOf(Verdict.Admit.class);
            nanos += 1_000_000;
            last = check();
        }
        assertThat(check())
                .isInstanceOfSatisfying(
                        Verdict.Throttle.class,
                        throttle -> assertThat(throttle.level()).isEqualTo("concurrency"));
        assertThat(last).isInstanceOfSatisfying(Verdict.Admit.class, Verdict.Admit::release);
        assertThat(check()).isInstanceOf(Verdict.Admit.class);
    }

    @ParameterizedTest
    @CsvSource({"3, 3", "0, 0"})
    void theOperatorSaysHowOftenOneMayGuess(String rate, int burst) {
        policies.replace(policy(
                new PolicyRows.Setting("unproven.requests_per_second", rate),
                new PolicyRows.Setting("unproven.burst", String.valueOf(burst))));
        Identifier identifier = new Identifier(policies, Tokens.NONE, KeyStrategy.CLIENT, true);
        int answered = 0;
        for (int i = 0; i < 10; i++) {
            answered += attempt(identifier, "guess-" + i, "192.0.2.1", "agent") instanceof Verdict.Admit ? 1 : 0;
        }
        assertThat(answered).isEqualTo(burst);
    }
}
