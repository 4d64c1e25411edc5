package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.Identifier;
import dev.weir.auth.Identity;
import dev.weir.auth.KeyStrategy;
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

    private static Policy policy() {
        PolicyRows rows = new PolicyRows(
                List.of(new PolicyRows.Tier("standard", 10, 20, 0, 0, 0, "enforce")),
                List.of(new PolicyRows.Route("/mcp", "http://127.0.0.1:1/mcp")),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
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
}
