package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.Caller;
import dev.weir.auth.Principal;
import dev.weir.ban.BanBook;
import dev.weir.ban.BanRule;
import dev.weir.ban.BanWatch;
import dev.weir.ban.MemoryHistory;
import dev.weir.ban.ThrottleEvent;
import dev.weir.ban.ThrottleTally;
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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a verdict tells of the limit that it comes from, and what it holds until the call has ended. */
class VerdictTest {

    private static final Caller AGENT = new Caller(Principal.client("agent"), "agent", false);
    private static final Principal ADDRESS = Principal.address("192.0.2.1");
    private static final long SECOND = 1_000_000_000L;

    private long nanos = 1_000;
    private final Instant now = Instant.parse("2026-11-30T06:30:00Z");
    private final List<PolicyRows.Setting> settings = new ArrayList<>();
    private final PolicyBook policies = new PolicyBook(policy(), () -> now);
    private final LocalBuckets buckets = new LocalBuckets(1_000, () -> nanos);
    private final MemoryHistory history = new MemoryHistory();
    private final BanBook bans = new BanBook(history, BanWatch.NONE, () -> now, () -> nanos, () -> "the-ban");
    private final ThrottleTally tally = new ThrottleTally(1_000, () -> now);
    private final LocalBuckets unproven = new LocalBuckets(1_000, () -> nanos);
    private final Gatekeeper gate = new Gatekeeper(policies, buckets, unproven, bans, new Decisions(tally));

    @BeforeEach
    void putPolicyInForce() {
        policies.replace(policy());
    }

    private Policy policy() {
        PolicyRows rows = new PolicyRows(
                List.of(
                        new PolicyRows.Tier("standard", 10, 20, 0, 0, 0, "enforce"),
                        new PolicyRows.Tier("narrow", 10, 20, 30, 1, 0, "enforce"),
                        new PolicyRows.Tier("patient", 1, 1, 0, 0, 5_000, "enforce"),
                        new PolicyRows.Tier("tried", 1, 1, 0, 0, 0, "shadow"),
                        new PolicyRows.Tier("nothing", 0, 0, 30, 0, 0, "enforce"),
                        new PolicyRows.Tier("rare", 1, 1, 0, 0, 0, "enforce")),
                List.of(new PolicyRows.Route("/mcp", "http://127.0.0.1:1/mcp")),
                List.of(
                        new PolicyRows.Tool("/mcp", "tool", "narrow", "narrow", 1, true),
                        new PolicyRows.Tool("/mcp", "tool", "patient", "patient", 1, true),
                        new PolicyRows.Tool("/mcp", "tool", "tried", "tried", 1, true),
                        new PolicyRows.Tool("/mcp", "tool", "nothing", "nothing", 1, true),
                        new PolicyRows.Tool("/mcp", "tool", "rare", "rare", 1, true),
                        new PolicyRows.Tool("/mcp", "tool", "off", "rare", 1, false),
                        new PolicyRows.Tool("/mcp", "tool", "denied", "rare", 1, true),
                        new PolicyRows.Tool("/mcp", "method", "prompts/get", "rare", 1, true),
                        new PolicyRows.Tool("/mcp", "method", "tasks/get", "rare", 1, false)),
                List.of(new PolicyRows.Client("agent", "Agent", true, false)),
                List.of(),
                List.of(new PolicyRows.ClientTool("agent", "/mcp", "tool", "denied", null, false)),
                settings);
        try {
            return Policy.compile(rows, new PolicyBase(true, Limit.of(100, 50), Limit.of(1_000, 2_000), null));
        } catch (PolicyRejectedException e) {
            throw new AssertionError(e);
        }
    }

    private void set(String name, String content) {
        settings.add(new PolicyRows.Setting(name, content));
        policies.replace(policy());
    }

    private Verdict call(String method, @Nullable String tool) {
        McpMessage message =
                new McpMessage(McpMessage.Kind.REQUEST, new RequestId("1"), method, tool, Era.LEGACY, null);
        return gate.decide(AGENT, new Call("/mcp", Call.Kind.MESSAGE, message, nanos));
    }

    private Verdict.Admit admitted(String tool) {
        return (Verdict.Admit) call(McpMessage.TOOLS_CALL, tool);
    }

    private Verdict.Throttle throttled(String method, @Nullable String tool) {
        return (Verdict.Throttle) call(method, tool);
    }

    private Verdict.Throttle throttled(String tool) {
        return throttled(McpMessage.TOOLS_CALL, tool);
    }

    @Test
    void aCallHoldsItsSlotUntilItIsReleased() {
        Verdict.Admit first = admitted("narrow");
        assertThat(first.holds()).isTrue();
        assertThat(first.waitNanos()).isZero();
        assertThat(first.quota()).isEqualTo(new Quota("narrow", 10, 20, 19, SECOND / 10, 1));
        Verdict.Throttle second = throttled("narrow");
        assertThat(second.level()).isEqualTo("concurrency");
        assertThat(second.waitNanos()).as("nobody knows").isZero();
        first.release();
        Verdict.Admit third = admitted("narrow");
        third.cancel();
        assertThat(Objects.requireNonNull(admitted("narrow").quota()).remaining())
                .as("the third gave its token back, the first did not")
                .isEqualTo(18);
    }

    @Test
    void aCallThatWaitsIsToldHowLongAndGivesItsPlaceUpOnlyIfItIsCancelled() {
        Verdict.Admit first = admitted("patient");
        assertThat(first.holds()).isFalse();
        assertThat(first.waitNanos()).isZero();
        first.release();
        first.cancel();
        Verdict.Admit second = admitted("patient");
        assertThat(second.holds()).isTrue();
        assertThat(second.waitNanos()).isEqualTo(SECOND);
        second.cancel();
        assertThat(admitted("patient").waitNanos()).isEqualTo(SECOND);
    }

    @Test
    void whatATierInShadowModeWouldHaveDoneIsInTheVerdict() {
        assertThat(admitted("tried").wouldThrottle()).isNull();
        assertThat(admitted("tried").wouldThrottle()).isEqualTo("tried");
    }

    @Test
    void aTierWithoutCoolDownIsEmptyAndNotCooling() {
        admitted("rare");
        Verdict.Throttle throttle = throttled("rare");
        assertThat(throttle.cooling()).isFalse();
        assertThat(throttle.tool()).isEqualTo("rare");
        assertThat(throttle.waitNanos()).isEqualTo(SECOND);
        assertThat(throttle.quota()).isEqualTo(new Quota("rare", 1, 1, 0, SECOND, 0));
    }

    @Test
    void aToolThatGetsNothingIsToldNoWaitAndNoCoolDown() {
        Verdict.Throttle throttle = throttled("nothing");
        assertThat(throttle.waitNanos()).isEqualTo(Verdict.NEVER);
        assertThat(throttle.cooling()).isFalse();
    }

    @Test
    void aMethodWithATierIsNamedLikeATool() {
        assertThat(call("prompts/get", null)).isInstanceOf(Verdict.Admit.class);
        Verdict.Throttle throttle = throttled("prompts/get", null);
        assertThat(throttle.level()).isEqualTo("method");
        assertThat(throttle.tool()).isEqualTo("prompts/get");
    }

    @ParameterizedTest
    @CsvSource({
        "tools/call, off, off, is switched off at this gateway",
        "tools/call, unheard, unheard, is not registered at this gateway",
        "tools/call, denied, denied, may not be called by this client",
        "tasks/get, , tasks/get, is switched off at this gateway"
    })
    void whatMayNotBeCalledIsNamedWithTheReason(String method, @Nullable String tool, String name, String why) {
        set("unregistered_tools", "refuse");
        assertThat(call(method, tool)).isInstanceOfSatisfying(Verdict.Forbid.class, forbid -> {
            assertThat(forbid.tool()).isEqualTo(name);
            assertThat(forbid.why()).isEqualTo(why);
            assertThat(forbid.route()).isEqualTo("/mcp");
        });
    }

    @ParameterizedTest
    @CsvSource({"TOOLS, false", "ALL, true"})
    void aBanTellsItsNameItsEndAndHowWideItIs(BanRule.Scope scope, boolean all) {
        bans.banByHand(AGENT.principal().key(), scope, Duration.ofMinutes(15), "asked to stop", "ann");
        Verdict.Shut shut = (Verdict.Shut) call(McpMessage.TOOLS_CALL, "rare");
        assertThat(shut.banId()).isEqualTo("the-ban");
        assertThat(shut.until()).isEqualTo("2026-11-30T06:45:00Z");
        assertThat(shut.reason()).isEqualTo("(asked to stop)");
        assertThat(shut.all()).isEqualTo(all);
        assertThat(shut.announced().toCompletableFuture()).isCompleted();
    }

    @Test
    void aMethodWhoseThrottlesBroughtABanOfToolsIsStillThrottledAndNotShut() {
        set("ban.count", "every");
        set("ban.threshold", "1");
        call("prompts/get", null);
        assertThat(throttled("prompts/get", null).strikes()).isEqualTo(1);
        Verdict.Throttle banned = throttled("prompts/get", null);
        assertThat(banned.strikes()).isEqualTo(2);
        assertThat(banned.strikesUntilBan()).isZero();
        assertThat(history.recorded()).hasSize(1);
        assertThat(call(McpMessage.TOOLS_CALL, "rare")).isInstanceOf(Verdict.Shut.class);
    }

    @Test
    void aMethodWhoseThrottlesBroughtABanOfEverythingIsShut() {
        set("ban.count", "every");
        set("ban.threshold", "0");
        set("ban.scope", "all");
        call("prompts/get", null);
        assertThat(call("prompts/get", null)).isInstanceOf(Verdict.Shut.class);
    }

    @Test
    void aStreamIsRefusedLikeOtherCallsAndIsNeverAStrike() {
        set("channel.burst", "1");
        set("channel.requests_per_second", "1");
        set("ban.count", "every");
        set("ban.threshold", "0");
        Call stream = new Call("/mcp", Call.Kind.OTHER, null, nanos);
        assertThat(gate.decide(AGENT, stream)).isInstanceOf(Verdict.Admit.class);
        assertThat(gate.decide(AGENT, stream)).isInstanceOfSatisfying(Verdict.Throttle.class, throttle -> {
            assertThat(throttle.form()).isEqualTo(Form.HTTP_STATUS);
            assertThat(throttle.tool()).isNull();
            assertThat(throttle.strikes()).isZero();
        });
        assertThat(history.recorded()).isEmpty();
    }

    /** @param route the prefix of the route, if the path has one */
    @ParameterizedTest
    @CsvSource({"/mcp/sub, /mcp", "/nowhere, "})
    void somebodyUnprovenIsToldOfTheRouteOrElseOfItsOwnPathWhichIsNotKept(String path, @Nullable String route) {
        Call call = new Call(path, Call.Kind.OTHER, null, nanos);
        for (int i = 0; i < 20; i++) {
            assertThat(((Verdict.Admit) gate.decideUnproven(ADDRESS, call)).route())
                    .isEqualTo(route);
        }
        Verdict.Throttle throttle = (Verdict.Throttle) gate.decideUnproven(ADDRESS, call);
        assertThat(throttle.route()).isEqualTo(route == null ? path : route);
        assertThat(throttle.level()).isEqualTo("channel");
        assertThat(tally.takeAll())
                .singleElement()
                .satisfies(event -> assertThat(event.kind())
                        .isEqualTo(new ThrottleEvent.Kind(
                                ADDRESS.key(),
                                route == null ? "" : route,
                                "",
                                "unproven",
                                ThrottleEvent.Decision.THROTTLED)));
    }
}
