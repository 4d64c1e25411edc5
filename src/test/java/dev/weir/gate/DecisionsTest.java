package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.Principal;
import dev.weir.ban.BanBook;
import dev.weir.ban.BanRule;
import dev.weir.ban.BanWatch;
import dev.weir.ban.MemoryHistory;
import dev.weir.ban.Standing;
import dev.weir.ban.ThrottleEvent;
import dev.weir.ban.ThrottleTally;
import dev.weir.limit.BucketName;
import dev.weir.limit.Charge;
import dev.weir.limit.Level;
import dev.weir.limit.Limit;
import dev.weir.limit.Outcome;
import dev.weir.limit.Take;
import dev.weir.limit.Tier;
import dev.weir.mcp.Era;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.RequestId;
import dev.weir.policy.Guard;
import dev.weir.policy.Introduction;
import dev.weir.policy.RefusalForm;
import dev.weir.policy.Route;
import dev.weir.policy.RouteKind;
import dev.weir.policy.ToolRule;
import dev.weir.policy.Transit;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DecisionsTest {

    private static final Principal AGENT = Principal.client("agent");
    private static final ToolRule OPEN = new ToolRule("", ToolRule.Access.OPEN, Charge.NOTHING, Map.of());
    private static final Route ROUTE = new Route(
            "/mcp",
            RouteKind.MCP,
            URI.create("http://127.0.0.1:1/mcp"),
            List.of(),
            new Transit(
                    true,
                    false,
                    Transit.ErrorMode.UNIFIED,
                    null,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    null,
                    1,
                    0,
                    0),
            List.of(),
            null,
            null,
            Guard.OPEN,
            Introduction.NONE,
            RefusalForm.AUTO,
            false,
            Map.of("x", OPEN),
            OPEN,
            Map.of("prompts/get", OPEN),
            Charge.NOTHING);

    private final ThrottleTally tally = new ThrottleTally(1_000, () -> Instant.EPOCH);
    private final Decisions decisions = new Decisions(tally);

    private static Call call(String method, @Nullable String tool) {
        return new Call(
                "/mcp",
                Call.Kind.MESSAGE,
                new McpMessage(McpMessage.Kind.REQUEST, new RequestId("1"), method, tool, Era.LEGACY, null),
                0);
    }

    private static Take take(String tier) {
        return new Take(new BucketName(Level.TOOL, "/mcp", "x"), Tier.of(tier, Limit.of(1, 1)), 1);
    }

    private static Verdict.Admit wouldRefuse(String tier) {
        return new Verdict.Admit("/mcp", new Outcome.Taken(null, 0, take(tier), null));
    }

    private static Verdict.Throttle throttle(@Nullable String tool, String level) {
        return new Verdict.Throttle(
                Form.JSONRPC_ERROR, "/mcp", tool, level, false, 1, Quota.of(take("heavy"), 0), 0, 0, 0, () -> {});
    }

    private static Standing ban() {
        Instant now = Instant.EPOCH;
        BanBook bans = new BanBook(new MemoryHistory(), BanWatch.NONE, () -> now, () -> 0, () -> "ban");
        return bans.banByHand("client:agent", BanRule.Scope.TOOLS, Duration.ofDays(1), "why", "me");
    }

    private List<ThrottleEvent> events() {
        return tally.takeAll();
    }

    private static ThrottleEvent event(
            String route, String tool, String level, ThrottleEvent.Decision decision, long calls) {
        return new ThrottleEvent(
                Instant.EPOCH, new ThrottleEvent.Kind("client:agent", route, tool, level, decision), calls);
    }

    /** The levels at which something was refused. */
    private Map<String, Long> throttled() {
        Map<String, Long> counts = new HashMap<>(decisions.throttled());
        counts.values().removeIf(count -> count == 0);
        return counts;
    }

    @Test
    void everyLevelIsToldOfBeforeItHasRefusedAnything() {
        assertThat(decisions.throttled())
                .containsOnlyKeys("tool", "method", "concurrency", "channel", "route", "global", "unproven")
                .allSatisfy((level, count) -> assertThat(count).isZero());
    }

    @Test
    void everyVerdictIsCountedAndAnsweredAsItWas() {
        Call call = call("tools/call", "x");
        List<Verdict> verdicts = List.of(
                new Verdict.Admit("/mcp", null),
                throttle("x", "tool"),
                new Verdict.Forbid(Form.JSONRPC_ERROR, "/mcp", "x", "is off", Verdict.Remedy.NONE, Set.of()),
                new Verdict.Forbid(Form.JSONRPC_ERROR, "/mcp", "x", "is off", Verdict.Remedy.NONE, Set.of()),
                new Verdict.Shut(Form.JSONRPC_ERROR, "/mcp", ban()));
        for (Verdict verdict : verdicts) {
            assertThat(decisions.count(AGENT, ROUTE, call, verdict)).isSameAs(verdict);
        }
        assertThat(decisions.admitted()).isOne();
        assertThat(throttled()).containsOnlyKeys("tool").containsEntry("tool", 1L);
        assertThat(decisions.forbidden()).isEqualTo(2);
        assertThat(decisions.shut()).isOne();
        assertThat(decisions.wouldThrottle()).isEmpty();
        assertThat(events()).containsExactly(event("/mcp", "x", "tool", ThrottleEvent.Decision.THROTTLED, 1));
    }

    @Test
    void throttlesAreToldOfByToolAndLevel() {
        decisions.count(AGENT, ROUTE, call("tools/call", "x"), throttle("x", "tool"));
        decisions.count(AGENT, ROUTE, call("tools/call", "x"), throttle("x", "tool"));
        decisions.count(AGENT, ROUTE, call("ping", null), throttle(null, "channel"));
        assertThat(throttled()).containsEntry("tool", 2L).containsEntry("channel", 1L);
        assertThat(events())
                .containsExactlyInAnyOrder(
                        event("/mcp", "x", "tool", ThrottleEvent.Decision.THROTTLED, 2),
                        event("/mcp", "", "channel", ThrottleEvent.Decision.THROTTLED, 1));
    }

    @Test
    void whatATierInShadowModeWouldHaveRefusedIsAdmittedAndTold() {
        decisions.count(AGENT, ROUTE, call("tools/call", "x"), wouldRefuse("heavy"));
        decisions.count(AGENT, ROUTE, call("prompts/get", null), wouldRefuse("light"));
        assertThat(decisions.admitted()).isEqualTo(2);
        assertThat(throttled()).isEmpty();
        assertThat(decisions.wouldThrottle()).containsEntry("heavy", 1L).containsEntry("light", 1L);
        assertThat(events())
                .containsExactlyInAnyOrder(
                        event("/mcp", "x", "tool", ThrottleEvent.Decision.WOULD_THROTTLE, 1),
                        event("/mcp", "prompts/get", "method", ThrottleEvent.Decision.WOULD_THROTTLE, 1));
    }

    @Test
    void tiersBeyondTheMostThatAreNamedAreCountedTogether() {
        for (int i = 0; i < Decisions.MAX_TIERS + 3; i++) {
            decisions.count(AGENT, ROUTE, call("tools/call", "x"), wouldRefuse("tier" + i));
        }
        decisions.count(AGENT, ROUTE, call("tools/call", "x"), wouldRefuse("tier0"));
        assertThat(decisions.wouldThrottle())
                .hasSize(Decisions.MAX_TIERS + 1)
                .containsEntry("tier0", 2L)
                .containsEntry("tier" + (Decisions.MAX_TIERS - 1), 1L)
                .containsEntry(Decisions.OTHER_TIERS, 3L);
    }

    @Test
    void somebodyUnprovenIsToldOfByItsAddressOnly() {
        Verdict refused = throttle("whatever it says", "channel");
        assertThat(decisions.countUnproven(AGENT, null, refused)).isSameAs(refused);
        decisions.countUnproven(AGENT, "/mcp", refused);
        decisions.countUnproven(AGENT, "/mcp", new Verdict.Admit("/mcp", null));
        assertThat(decisions.admitted()).isZero();
        assertThat(throttled()).containsOnlyKeys(Decisions.UNPROVEN).containsEntry(Decisions.UNPROVEN, 2L);
        assertThat(events())
                .containsExactlyInAnyOrder(
                        event("", "", Decisions.UNPROVEN, ThrottleEvent.Decision.THROTTLED, 1),
                        event("/mcp", "", Decisions.UNPROVEN, ThrottleEvent.Decision.THROTTLED, 1));
    }

    /** Case O46: names that a caller makes up are no rows of their own. */
    @Test
    void toolsThatNobodyHasRegisteredAreTakenDownTogether() {
        for (int i = 0; i < 1_000; i++) {
            String name = "made up " + i;
            decisions.count(AGENT, ROUTE, call("tools/call", name), throttle(name, "tool"));
            decisions.count(AGENT, ROUTE, call("tools/call", name), wouldRefuse("standard"));
        }
        assertThat(events())
                .containsExactlyInAnyOrder(
                        event("/mcp", "", "tool", ThrottleEvent.Decision.THROTTLED, 1_000),
                        event("/mcp", "", "tool", ThrottleEvent.Decision.WOULD_THROTTLE, 1_000));
    }
}
