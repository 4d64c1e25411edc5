package dev.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.Caller;
import dev.weir.auth.Principal;
import dev.weir.ban.BanBook;
import dev.weir.ban.BanWatch;
import dev.weir.ban.MemoryHistory;
import dev.weir.ban.ThrottleTally;
import dev.weir.gate.Call;
import dev.weir.gate.Decisions;
import dev.weir.gate.Gatekeeper;
import dev.weir.limit.Limit;
import dev.weir.limit.LocalBuckets;
import dev.weir.mcp.Era;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.RequestId;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.PolicyRejectedException;
import dev.weir.policy.PolicyRows;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Calls a second, on clocks that stand still until they are told to go on. */
class PulseTest {

    private static final long MILLI = 1_000_000;

    private long nanos = Long.MAX_VALUE - 400 * MILLI;
    private Instant now = Instant.parse("2026-12-01T04:30:00Z");
    private final Decisions decisions = new Decisions(new ThrottleTally(1_000, () -> now));
    private final Gatekeeper gate = gate();
    private final Pulse pulse = new Pulse(decisions, () -> now, () -> nanos);

    /** A node about which there is nothing to be said. */
    private static final Node NODE = new Node() {

        @Override
        public String name() {
            return "n";
        }

        @Override
        public String id() {
            return "n#1";
        }

        @Override
        public Map<String, Object> state() {
            return Map.of();
        }

        @Override
        public List<Sample.Circuit> breakers() {
            return List.of(
                    new Sample.Circuit("/a", "closed", "2026-12-01T04:30:00.000Z", null),
                    new Sample.Circuit("/b", "open", "2026-12-01T04:30:00.000Z", "2026-12-01T04:31:00.000Z"));
        }

        @Override
        public int exchanges() {
            return 3;
        }

        @Override
        public long bansActive() {
            return 4;
        }

        @Override
        public boolean isPolicyOk() {
            return true;
        }

        @Override
        public boolean isDatabaseUp() {
            return false;
        }
    };

    private Gatekeeper gate() {
        PolicyRows rows = new PolicyRows(
                List.of(new PolicyRows.Tier("standard", 1, 5, 0, 0, 0, "enforce")),
                List.of(new PolicyRows.Route("/mcp", "http://127.0.0.1:1/mcp")),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
        try {
            Policy policy = Policy.compile(rows, new PolicyBase(true, Limit.of(100, 50), Limit.of(1_000, 2_000), null));
            PolicyBook policies = new PolicyBook(policy, () -> now);
            LocalBuckets buckets = new LocalBuckets(1_000, () -> nanos);
            BanBook bans = new BanBook(new MemoryHistory(), BanWatch.NONE, () -> now, () -> nanos, () -> "ban");
            return new Gatekeeper(policies, buckets, buckets, bans, decisions);
        } catch (PolicyRejectedException e) {
            throw new AssertionError(e);
        }
    }

    private void pass(long millis) {
        nanos += millis * MILLI;
        now = now.plusMillis(millis);
    }

    private void call(String client, String tool, int times) {
        for (int i = 0; i < times; i++) {
            gate.decide(
                    new Caller(Principal.client(client), client, false),
                    new Call(
                            "/mcp",
                            Call.Kind.MESSAGE,
                            new McpMessage(
                                    McpMessage.Kind.REQUEST,
                                    new RequestId("1"),
                                    McpMessage.TOOLS_CALL,
                                    tool,
                                    Era.LEGACY,
                                    null),
                            nanos));
        }
    }

    /** Feels it four times a second, as it is done while Weir runs. */
    private void beats(int count, boolean watched) {
        for (int i = 0; i < count; i++) {
            pass(250);
            pulse.feel(watched);
        }
    }

    @Test
    void callsASecondAreThoseOfTheLastSecond() {
        beats(8, false);
        assertThat(pulse.sample(NODE).requests()).isZero();
        call("a", "t", 7);
        beats(1, false);
        Sample sample = pulse.sample(NODE);
        assertThat(sample.requests()).isEqualTo(7);
        assertThat(sample.admitted()).isEqualTo(5);
        assertThat(sample.throttled()).isEqualTo(2);
        beats(3, false);
        assertThat(pulse.sample(NODE).requests()).isEqualTo(7);
        beats(2, false);
        assertThat(pulse.sample(NODE).requests()).isZero();
    }

    @Test
    void aSampleTellsHowItsNodeIs() {
        Sample sample = pulse.sample(NODE);
        assertThat(sample.exchanges()).isEqualTo(3);
        assertThat(sample.bansActive()).isEqualTo(4);
        assertThat(sample.policyOk()).isTrue();
        assertThat(sample.databaseUp()).isFalse();
        assertThat(sample.breakers()).extracting(Sample.Circuit::route).containsExactly("/b");
    }

    @Test
    void whoCallsWhatIsCountedOnlyWhileSomebodyWatches() {
        beats(4, false);
        call("a", "t", 3);
        beats(1, false);
        assertThat(pulse.sample(NODE).principals()).isEmpty();
        beats(1, true);
        call("a", "t", 2);
        call("b", "u", 7);
        beats(1, true);
        Sample watched = pulse.sample(NODE);
        assertThat(watched.principals())
                .containsExactly(new Sample.OfPrincipal("client:b", 7, 2), new Sample.OfPrincipal("client:a", 2, 0));
        assertThat(watched.tools())
                .containsExactly(new Sample.OfTool("/mcp", "u", 7, 2, 0), new Sample.OfTool("/mcp", "t", 2, 0, 0));
        beats(6, true);
        assertThat(pulse.sample(NODE).principals()).as("a second later").isEmpty();
        call("a", "t", 2);
        beats(1, false);
        call("a", "t", 2);
        beats(1, false);
        assertThat(pulse.sample(NODE).principals()).isEmpty();
    }

    @Test
    void fiveMinutesAreKeptSecondBySecondAndNoMore() {
        call("a", "t", 3);
        beats(4, false);
        beats(4 * 2, false);
        List<Pulse.Second> past = pulse.past();
        assertThat(past).extracting(Pulse.Second::requests).containsExactly(3L, 0L, 0L);
        assertThat(past.get(0).at()).isEqualTo(Instant.parse("2026-12-01T04:30:00Z"));
        beats(4 * 400, false);
        assertThat(pulse.past()).hasSize(Pulse.SECONDS);
    }

    @Test
    void secondsInWhichNobodyFeltItAreThereAllTheSame() {
        pass(250);
        pulse.feel(false);
        call("a", "t", 2);
        pass(5_000);
        pulse.feel(false);
        assertThat(pulse.past()).extracting(Pulse.Second::requests).containsExactly(2L, 0L, 0L, 0L, 0L);
        pass(3_600_000);
        pulse.feel(false);
        assertThat(pulse.past()).hasSize(Pulse.SECONDS);
    }

    @Test
    void onlyTheFirstTenAreTold() {
        beats(1, true);
        for (int i = 0; i < 30; i++) {
            call("c" + i, "t" + i, 1 + i);
        }
        beats(1, true);
        Sample sample = pulse.sample(NODE);
        assertThat(sample.principals()).hasSize(Pulse.TOP);
        assertThat(sample.principals().get(0).principal()).isEqualTo("client:c29");
        assertThat(sample.tools()).hasSize(Pulse.TOP);
    }
}
