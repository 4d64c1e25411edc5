package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.Caller;
import dev.weir.auth.Principal;
import dev.weir.ban.BanBook;
import dev.weir.ban.BanRule;
import dev.weir.ban.BanWatch;
import dev.weir.ban.MemoryHistory;
import dev.weir.ban.Standing;
import dev.weir.ban.ThrottleTally;
import dev.weir.limit.Effort;
import dev.weir.limit.Forecast;
import dev.weir.limit.Limit;
import dev.weir.limit.LocalBuckets;
import dev.weir.limit.Tier;
import dev.weir.mcp.Era;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.RequestId;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.PolicyRejectedException;
import dev.weir.policy.PolicyRows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is explained is what is decided next. */
class ExplainerTest {

    private static final String[] TOOLS = {"heavy", "busy", "patient", "tried", "free", "blocked", "old", "vip", "new"};
    private static final String[] METHODS = {"prompts/get", "ping", "tasks/cancel", "resources/read"};

    private long nanos = Long.MAX_VALUE - 5_000_000_000L;
    private Instant now = Instant.parse("2026-12-01T04:30:00Z");
    private final AtomicInteger ids = new AtomicInteger();
    private final PolicyBook policies = new PolicyBook(policy(new Random(0)), () -> now);
    private final LocalBuckets buckets = new LocalBuckets(1_000, () -> nanos);
    private final BanBook bans = new BanBook(
            new MemoryHistory(), BanWatch.NONE, () -> now, () -> nanos, () -> "ban-" + ids.incrementAndGet());
    private final Decisions decisions = new Decisions(new ThrottleTally(1_000, () -> now));
    private final Gatekeeper gate = new Gatekeeper(policies, buckets, buckets, bans, decisions);
    private final Explainer explainer = new Explainer(policies, buckets, bans, () -> now, () -> nanos);

    /** One with every kind of tier, and numbers that change from time to time. */
    private static Policy policy(Random random) {
        List<PolicyRows.Tier> tiers = List.of(
                new PolicyRows.Tier("heavy", 2 + random.nextInt(2), 4 + random.nextInt(3), 3, 0, 0, "enforce"),
                new PolicyRows.Tier("busy", 20, 30, random.nextInt(2), 2, 0, "enforce"),
                new PolicyRows.Tier("patient", 3, 2 + random.nextInt(2), 0, 0, 400, "enforce"),
                new PolicyRows.Tier("tried", 1, 2, 2, 0, 0, "shadow"),
                new PolicyRows.Tier("free", 1, 1, 0, 0, 0, "off"),
                new PolicyRows.Tier("blocked", 0, 0, 0, 0, 0, "enforce"),
                new PolicyRows.Tier("standard", 5, 5, 0, 0, 0, "enforce"));
        List<PolicyRows.Tool> tools = new ArrayList<>();
        for (String name : List.of("heavy", "busy", "patient", "tried", "free", "blocked")) {
            int cost = name.equals("heavy") ? 1 + random.nextInt(2) : 1;
            tools.add(new PolicyRows.Tool("/mcp", "tool", name, name, cost, true));
        }
        tools.add(new PolicyRows.Tool("/mcp", "tool", "old", "standard", 1, false));
        tools.add(new PolicyRows.Tool("/mcp", "tool", "vip", "standard", 1, "listed", "", true));
        tools.add(new PolicyRows.Tool("/mcp", "method", "prompts/get", "heavy", 1, true));
        PolicyRows rows = new PolicyRows(
                tiers,
                List.of(new PolicyRows.Route("/mcp", "http://127.0.0.1:1/mcp")),
                tools,
                List.of(
                        new PolicyRows.Client("a", "A", true, false),
                        new PolicyRows.Client("b", "B", true, false),
                        new PolicyRows.Client("exempt", "E", true, true)),
                List.of(),
                List.of(
                        new PolicyRows.ClientTool("b", "/mcp", "tool", "heavy", "busy", true),
                        new PolicyRows.ClientTool("b", "/mcp", "tool", "vip", null, true)),
                List.of(
                        new PolicyRows.Setting("ban.threshold", "3"),
                        new PolicyRows.Setting("ban.scope", random.nextBoolean() ? "tools" : "all"),
                        new PolicyRows.Setting("ban.count", random.nextBoolean() ? "informed" : "every"),
                        new PolicyRows.Setting("ban.duration_seconds", "4")));
        try {
            return Policy.compile(rows, new PolicyBase(true, Limit.of(8, 12), Limit.of(20, 25), null));
        } catch (PolicyRejectedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void saysExactlyWhatTheNextDecisionSays(long seed) {
        Random random = new Random(seed);
        Map<Explanation.Kind, Integer> seen = new EnumMap<>(Explanation.Kind.class);
        List<Verdict.Admit> held = new ArrayList<>();
        for (int step = 0; step < Effort.of(12_000); step++) {
            disturb(random, held);
            Caller caller = caller(random);
            Call call = call(random);
            Explanation told = explainer.explain(caller, call);
            // Before what is decided, which would be another thing if the first explanation had changed anything.
            assertThat(explainer.explain(caller, call)).as("step %s", step).isEqualTo(told);
            Verdict verdict = gate.decide(caller, call);
            agrees("seed " + seed + ", step " + step + ", " + caller.principal() + ", " + call, told, verdict);
            seen.merge(told.verdict(), 1, Integer::sum);
            if (verdict instanceof Verdict.Admit admit && admit.holds()) {
                held.add(admit);
            } else if (verdict instanceof Verdict.Throttle throttle && random.nextInt(3) > 0) {
                pass(throttle.holdNanos() + 1);
                throttle.answered().run();
            }
        }
        assertThat(seen.keySet()).as("the test sees all sides").containsExactly(Explanation.Kind.values());
    }

    private void disturb(Random random, List<Verdict.Admit> held) {
        if (random.nextInt(3) == 0) {
            pass(random.nextInt(250_000_000));
        }
        if (random.nextInt(60) == 0) {
            policies.replace(policy(random));
        }
        if (random.nextInt(50) == 0) {
            buckets.sweep();
        }
        if (!held.isEmpty() && random.nextInt(3) == 0) {
            held.remove(random.nextInt(held.size())).release();
        }
    }

    private void pass(long more) {
        nanos += more;
        now = now.plusNanos(more);
    }

    private static Caller caller(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> new Caller(Principal.client("exempt"), "exempt", true);
            case 1, 2, 3 -> new Caller(Principal.client("b"), "b", false);
            default -> new Caller(Principal.client("a"), "a", false);
        };
    }

    private Call call(Random random) {
        int what = random.nextInt(12);
        if (what == 0) {
            return new Call("/mcp", Call.Kind.OTHER, null, nanos);
        }
        String tool = what < 10 ? TOOLS[random.nextInt(TOOLS.length)] : null;
        String method = tool != null ? McpMessage.TOOLS_CALL : METHODS[random.nextInt(METHODS.length)];
        return new Call(
                "/mcp",
                Call.Kind.MESSAGE,
                new McpMessage(McpMessage.Kind.REQUEST, new RequestId("1"), method, tool, Era.LEGACY, null),
                nanos);
    }

    private static void agrees(String step, Explanation told, Verdict verdict) {
        if (verdict instanceof Verdict.Admit admit) {
            assertThat(told.verdict()).as(step).isEqualTo(Explanation.Kind.ADMIT);
            assertThat(told.delayNanos()).as(step).isEqualTo(admit.waitNanos());
            if (admit.wouldThrottle() != null) {
                assertThat(told.levels().stream()
                                .map(Explanation.Step::look)
                                .filter(look -> look.reason() != null)
                                .map(look -> look.take().tier())
                                .toList())
                        .as(step)
                        .extracting(Tier::name)
                        .containsExactly(admit.wouldThrottle());
            }
        } else if (verdict instanceof Verdict.Throttle throttle) {
            assertThat(told.verdict()).as(step).isEqualTo(Explanation.Kind.THROTTLE);
            Explanation.Refusal refusal = Objects.requireNonNull(told.refusal());
            assertThat(refusal.level()).as(step).isEqualTo(throttle.level());
            assertThat(refusal.waitNanos()).as(step).isEqualTo(throttle.waitNanos());
            if (throttle.strikes() > 0) {
                assertThat(Objects.requireNonNull(told.strikes()).next())
                        .as(step)
                        .isEqualTo(throttle.strikes());
            }
        } else if (verdict instanceof Verdict.Shut shut) {
            assertThat(told.verdict()).as(step).isEqualTo(Explanation.Kind.SHUT);
            Standing ban = told.ban();
            if (ban != null) {
                assertThat(ban.ban().id()).as(step).isEqualTo(shut.banId());
            } else {
                assertThat(told.newBan()).as(step).isNotNull();
                assertThat(shut.remainingMillis(0)).as(step).isPositive();
            }
        } else if (verdict instanceof Verdict.Forbid forbid) {
            assertThat(told.verdict()).as(step).isEqualTo(Explanation.Kind.FORBID);
            assertThat(Objects.requireNonNull(told.denial()).why()).as(step).isEqualTo(forbid.why());
        }
    }

    @Test
    void theBanThatWouldComeIsAsLongAsTheOneThatComes() {
        Caller caller = new Caller(Principal.client("a"), "a", false);
        for (int i = 0; i < 100; i++) {
            Explanation told = explainer.explain(caller, "/mcp", "heavy", null);
            Verdict verdict = gate.decide(caller, new Call("/mcp", Call.Kind.MESSAGE, message("heavy"), nanos));
            pass(60_000_000);
            if (verdict instanceof Verdict.Shut) {
                assertThat(told.newBan()).isEqualTo(Duration.ofSeconds(4));
                assertThat(told.ban()).isNull();
                return;
            }
            if (verdict instanceof Verdict.Throttle throttle) {
                throttle.answered().run();
                pass(3_000_000_000L);
                for (int j = 0; j < 6; j++) {
                    gate.decide(caller, new Call("/mcp", Call.Kind.OTHER, null, nanos));
                }
            }
        }
        throw new AssertionError("no ban came");
    }

    private static McpMessage message(String tool) {
        return new McpMessage(
                McpMessage.Kind.REQUEST, new RequestId("1"), McpMessage.TOOLS_CALL, tool, Era.LEGACY, null);
    }

    @Test
    void whoeverIsBannedIsToldSoForWhatTheBanShutsOnly() {
        Caller caller = new Caller(Principal.client("a"), "a", false);
        bans.banByHand("client:a", BanRule.Scope.TOOLS, Duration.ofMinutes(5), "for this test", "ann");
        assertThat(explainer.explain(caller, "/mcp", "new", null).verdict()).isEqualTo(Explanation.Kind.SHUT);
        Explanation ping = explainer.explain(caller, "/mcp", null, "ping");
        assertThat(ping.verdict()).isEqualTo(Explanation.Kind.ADMIT);
        assertThat(ping.ban()).isNotNull();
    }

    @Test
    void whereNoRouteIsNothingIsLimited() {
        Caller caller = new Caller(Principal.client("a"), "a", false);
        Explanation told = explainer.explain(caller, "/elsewhere", "heavy", null);
        assertThat(told.verdict()).isEqualTo(Explanation.Kind.ADMIT);
        assertThat(told.route()).isNull();
    }

    @Test
    void eachNumberSaysWhereItComesFrom() {
        Caller own = new Caller(Principal.client("b"), "b", false);
        List<Explanation.Step> levels =
                explainer.explain(own, "/mcp", "heavy", null).levels();
        assertThat(levels).extracting(Explanation.Step::name).containsExactly("tool", "channel", "global");
        assertThat(levels.get(0).origin())
                .extracting(Origin::table)
                .containsExactly("client_tool", "tool", "tool_tier");
        assertThat(levels.get(0).origin().get(2).key()).containsEntry("name", "busy");
        assertThat(levels.get(1).origin()).extracting(Origin::row).containsExactly(false, false);
        assertThat(levels.get(1).origin().get(0).key()).containsEntry("name", "channel.requests_per_second");
        Explanation unregistered = explainer.explain(own, "/mcp", "new", null);
        assertThat(unregistered.levels().get(0).origin())
                .extracting(Origin::table)
                .containsExactly("setting", "tool_tier");
    }

    @Test
    void bucketsAreNamedWithTheTierThatThePolicyHasForThem() {
        Caller own = new Caller(Principal.client("b"), "b", false);
        gate.decide(own, new Call("/mcp", Call.Kind.MESSAGE, message("heavy"), nanos));
        assertThat(buckets.states("client:b", state -> true, 10))
                .extracting(state -> Objects.requireNonNull(explainer.tier("client:b", state.bucket()))
                        .name())
                .containsExactlyInAnyOrder("busy", "channel", "global");
        assertThat(buckets.states("client:a", state -> !state.principal().isEmpty(), 10))
                .isEmpty();
        assertThat(buckets.states(null, state -> true, 1)).hasSize(1);
    }

    @Test
    void aLookSeesWhatIsThere() {
        Caller caller = new Caller(Principal.client("a"), "a", false);
        gate.decide(caller, new Call("/mcp", Call.Kind.MESSAGE, message("busy"), nanos));
        Forecast.Look look =
                explainer.explain(caller, "/mcp", "busy", null).levels().get(0).look();
        assertThat(look.inFlight()).isEqualTo(1);
        assertThat(look.tokensLeft()).isEqualTo(29);
        assertThat(look.reason()).isNull();
    }
}
