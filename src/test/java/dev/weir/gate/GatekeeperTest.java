package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.auth.Caller;
import dev.weir.auth.Principal;
import dev.weir.ban.Ban;
import dev.weir.ban.BanBook;
import dev.weir.ban.BanRule;
import dev.weir.ban.BanWatch;
import dev.weir.ban.MemoryHistory;
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
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GatekeeperTest {

    private static final Caller AGENT = new Caller(Principal.client("agent"), "agent", false);
    private static final Caller OTHER = new Caller(Principal.client("other"), "other", false);
    private static final Caller VIP = new Caller(Principal.client("vip"), "vip", true);

    private long nanos = 1_000;
    private Instant now = Instant.parse("2026-11-30T06:30:00Z");
    private final MemoryHistory history = new MemoryHistory();
    private final List<Ban> recorded = history.recorded();
    private final List<PolicyRows.Setting> settings = new ArrayList<>();
    private final List<PolicyRows.Tool> tools = new ArrayList<>(List.of(
            new PolicyRows.Tool("/mcp", "tool", "inspect", "heavy", 1, true),
            new PolicyRows.Tool("/mcp", "tool", "echo", "light", 1, true),
            new PolicyRows.Tool("/mcp", "tool", "old", "light", 1, false)));
    private final List<PolicyRows.ClientTool> clientTools = new ArrayList<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final PolicyBook policies = new PolicyBook(policy(), () -> now);
    private final LocalBuckets buckets = new LocalBuckets(1_000, () -> nanos);
    private final BanBook bans =
            new BanBook(history, BanWatch.NONE, new Ticking(), () -> nanos, () -> "ban-" + ids.incrementAndGet());
    private final LocalBuckets unproven = new LocalBuckets(1_000, () -> nanos);
    private final Decisions decisions = new Decisions(new ThrottleTally(1_000, () -> now));
    private final Gatekeeper gate = new Gatekeeper(policies, buckets, unproven, bans, decisions);

    /** The wall clock, which says the time without making an object for it, as a real one does. */
    private final class Ticking implements InstantSource {
        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public long millis() {
            return now.toEpochMilli();
        }
    }

    @BeforeEach
    void putPolicyInForce() {
        policies.replace(policy());
    }

    private Policy policy() {
        PolicyRows rows = new PolicyRows(
                List.of(
                        new PolicyRows.Tier("heavy", 2, 5, 30, 0, 0, "enforce"),
                        new PolicyRows.Tier("light", 30, 60, 0, 0, 0, "enforce"),
                        new PolicyRows.Tier("standard", 10, 20, 0, 0, 0, "enforce")),
                List.of(new PolicyRows.Route("/mcp", "http://127.0.0.1:1/mcp")),
                tools,
                List.of(new PolicyRows.Client("vip", "VIP", true, true)),
                List.of(),
                clientTools,
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

    private static McpMessage request(String method, @Nullable String name) {
        return new McpMessage(McpMessage.Kind.REQUEST, new RequestId("1"), method, name, Era.LEGACY, null);
    }

    private Verdict call(Caller caller, McpMessage message) {
        Verdict verdict = gate.decide(caller, new Call("/mcp", Call.Kind.MESSAGE, message, nanos));
        if (verdict instanceof Verdict.Throttle throttle) {
            // The answer is written, and read.
            nanos += throttle.holdNanos();
            throttle.answered().run();
            nanos++;
        }
        return verdict;
    }

    private Verdict tool(Caller caller, String tool) {
        return call(caller, request(McpMessage.TOOLS_CALL, tool));
    }

    /** A call of which the answer is still on its way. */
    private Verdict atOnce(Caller caller, String tool) {
        McpMessage message = request(McpMessage.TOOLS_CALL, tool);
        return gate.decide(caller, new Call("/mcp", Call.Kind.MESSAGE, message, nanos));
    }

    private void pass(double seconds) {
        nanos += Math.round(seconds * 1e9);
        now = now.plusNanos(Math.round(seconds * 1e9));
    }

    @Test
    void twelveCallsInARowAreFiveResultsFiveThrottlesAndABan() {
        List<Verdict> verdicts = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            verdicts.add(tool(AGENT, "inspect"));
        }
        assertThat(verdicts.subList(0, 5)).hasOnlyElementsOfType(Verdict.Admit.class);
        assertThat(verdicts.subList(5, 10)).hasOnlyElementsOfType(Verdict.Throttle.class);
        assertThat(verdicts.subList(10, 12)).hasOnlyElementsOfType(Verdict.Shut.class);

        Verdict.Throttle first = (Verdict.Throttle) verdicts.get(5);
        assertThat(first.level()).isEqualTo("tool");
        assertThat(first.quota().policy()).isEqualTo("heavy");
        assertThat(first.cooling()).isTrue();
        assertThat(first.waitNanos()).isEqualTo(30_000_000_000L);
        assertThat(first.strikes()).isEqualTo(1);
        assertThat(first.strikesUntilBan()).isEqualTo(5);
        assertThat(((Verdict.Throttle) verdicts.get(9)).strikesUntilBan()).isEqualTo(1);
        Verdict.Shut shut = (Verdict.Shut) verdicts.get(10);
        assertThat(shut.reason()).isEqualTo("after 6 throttles in 10s on [inspect]");
        assertThat(shut.remainingMillis(now.toEpochMilli())).isEqualTo(900_000);
        assertThat(recorded).hasSize(1);
        assertThat(tool(OTHER, "inspect")).isInstanceOf(Verdict.Admit.class);
    }

    @Test
    void aBanShutsToolsOnlyUnlessItsScopeIsAll() {
        for (int i = 0; i < 11; i++) {
            tool(AGENT, "inspect");
        }
        assertThat(tool(AGENT, "echo")).isInstanceOf(Verdict.Shut.class);
        assertThat(call(AGENT, request("tools/list", null))).isInstanceOf(Verdict.Admit.class);

        set("ban.scope", "all");
        for (int i = 0; i < 11; i++) {
            tool(OTHER, "inspect");
        }
        assertThat(call(OTHER, request("tools/list", null)))
                .isInstanceOfSatisfying(
                        Verdict.Shut.class, shut -> assertThat(shut.form()).isEqualTo(Form.HTTP_STATUS));
    }

    @Test
    void aClientJustAboveItsRateIsCooledDownAndNotBanned() {
        // 2.1 a second on a tool of 2 a second: over and over in the cool-down, and hardly ever refused by the bucket
        // itself.
        for (int i = 0; i < 1_000; i++) {
            assertThat(tool(AGENT, "inspect")).isNotInstanceOf(Verdict.Shut.class);
            pass(1 / 2.1);
        }
    }

    @Test
    void aClientThatWaitsAsLongAsItIsToldIsNeverRefusedAgain() {
        for (int round = 0; round < 100; round++) {
            Verdict verdict = tool(AGENT, "inspect");
            if (verdict instanceof Verdict.Throttle throttle) {
                nanos += throttle.waitNanos();
                assertThat(tool(AGENT, "inspect")).isInstanceOf(Verdict.Admit.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"initialize", "ping", "tools/list", "prompts/list", "resources/list", "logging/setLevel"})
    void theHouseholdOfAClientNeverBringsABan(String method) {
        set("channel.burst", "1");
        set("channel.requests_per_second", "1");
        for (int i = 0; i < 50; i++) {
            assertThat(call(AGENT, request(method, null))).isNotInstanceOf(Verdict.Shut.class);
        }
        assertThat(call(AGENT, request(method, null))).isInstanceOfSatisfying(Verdict.Throttle.class, throttle -> {
            assertThat(throttle.level()).isEqualTo("channel");
            assertThat(throttle.strikes()).isZero();
        });
        assertThat(recorded).isEmpty();
    }

    @Test
    void otherMethodsThatRunCodeBringABanOnTheChannel() {
        set("channel.burst", "1");
        set("channel.requests_per_second", "1");
        for (int i = 0; i < 7; i++) {
            call(AGENT, request("prompts/get", "p"));
        }
        assertThat(recorded).hasSize(1);
        assertThat(recorded.get(0).tool()).isNull();
    }

    @Test
    void whatEndsWorkPassesWhateverTheBucketsSay() {
        set("channel.burst", "1");
        set("channel.requests_per_second", "1");
        McpMessage cancelled =
                new McpMessage(McpMessage.Kind.NOTIFICATION, null, "notifications/cancelled", null, Era.LEGACY, null);
        McpMessage answer = new McpMessage(McpMessage.Kind.RESPONSE, new RequestId("1"), null, null, Era.LEGACY, null);
        for (int i = 0; i < 20; i++) {
            assertThat(call(AGENT, cancelled)).isInstanceOf(Verdict.Admit.class);
            assertThat(call(AGENT, answer)).isInstanceOf(Verdict.Admit.class);
            assertThat(call(AGENT, request("server/discover", null))).isInstanceOf(Verdict.Admit.class);
            assertThat(gate.decide(AGENT, new Call("/mcp", Call.Kind.END, null, nanos)))
                    .isInstanceOf(Verdict.Admit.class);
        }
        assertThat(call(AGENT, request("ping", null))).as("they are charged").isInstanceOf(Verdict.Throttle.class);
    }

    @Test
    void theSharedLevelsAreNobodysFault() {
        set("global.burst", "1");
        set("global.requests_per_second", "1");
        for (int i = 0; i < 30; i++) {
            Verdict verdict = tool(AGENT, "echo");
            if (i > 0) {
                assertThat(verdict).isInstanceOfSatisfying(Verdict.Throttle.class, throttle -> {
                    assertThat(throttle.level()).isEqualTo("global");
                    assertThat(throttle.strikes()).isZero();
                });
            }
        }
        assertThat(recorded).isEmpty();
    }

    @Test
    void allSpellingsOfUnregisteredToolsShareOneBucket() {
        int admitted = 0;
        for (int i = 0; i < 30; i++) {
            admitted += atOnce(AGENT, "Echo" + " ".repeat(i)) instanceof Verdict.Admit ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(20);
        assertThat(tool(OTHER, "echo")).isInstanceOf(Verdict.Admit.class);
    }

    @Test
    void unregisteredToolsAreRefusedWhereTheSettingSaysSoAndDisabledOnesAlways() {
        assertThat(tool(AGENT, "old")).isInstanceOf(Verdict.Forbid.class);
        assertThat(tool(AGENT, "Echo")).isInstanceOf(Verdict.Admit.class);
        set("unregistered_tools", "refuse");
        assertThat(tool(AGENT, "Echo")).isInstanceOf(Verdict.Forbid.class);
        assertThat(tool(AGENT, "echo")).isInstanceOf(Verdict.Admit.class);
    }

    @Test
    void callsAtOnceAreThrottledAndNeverBanned() {
        for (int i = 0; i < 200; i++) {
            Verdict verdict = atOnce(AGENT, "inspect");
            if (i >= 5) {
                assertThat(verdict).isInstanceOfSatisfying(Verdict.Throttle.class, throttle -> {
                    assertThat(throttle.strikes()).isEqualTo(1);
                    assertThat(throttle.strikesUntilBan()).isEqualTo(5);
                });
            }
        }
        assertThat(recorded).isEmpty();
    }

    @Test
    void onlyTheAnswersToStrikesAreHeldBack() {
        for (int i = 0; i < 5; i++) {
            atOnce(AGENT, "inspect");
        }
        assertThat(((Verdict.Throttle) atOnce(AGENT, "inspect")).holdNanos()).isPositive();
        pass(1);
        Verdict.Throttle cooling = (Verdict.Throttle) atOnce(AGENT, "inspect");
        assertThat(cooling.strikes()).isZero();
        assertThat(cooling.holdNanos()).isZero();

        set("ban.count", "every");
        for (int i = 0; i < 5; i++) {
            atOnce(OTHER, "inspect");
        }
        Verdict.Throttle counted = (Verdict.Throttle) atOnce(OTHER, "inspect");
        assertThat(counted.strikes()).isEqualTo(1);
        assertThat(counted.holdNanos()).isZero();
    }

    @Test
    void anExemptClientIsNeverRefusedNotEvenWhileItIsBanned() {
        bans.banByHand(VIP.principal().key(), BanRule.Scope.ALL, Duration.ofHours(1), "by mistake", "ann");
        for (int i = 0; i < 5_000; i++) {
            assertThat(tool(VIP, "inspect")).isInstanceOf(Verdict.Admit.class);
        }
        assertThat(recorded).hasSize(1);
    }

    @Test
    void aBannedClientsCallMakesHardlyAnyGarbage() {
        bans.banByHand(AGENT.principal().key(), BanRule.Scope.TOOLS, Duration.ofHours(1), "for this test", "ann");
        Call call = new Call("/mcp", Call.Kind.MESSAGE, request(McpMessage.TOOLS_CALL, "inspect"), nanos);
        Gatekeeper real = new Gatekeeper(policies, buckets, unproven, bans, decisions);
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int shut = 0;
        long bytes = 0;
        for (int i = 0; i < 40_000; i++) {
            if (i == 20_000) {
                bytes = thread.getCurrentThreadAllocatedBytes();
            }
            shut += real.decide(AGENT, call) instanceof Verdict.Shut ? 1 : 0;
        }
        bytes = thread.getCurrentThreadAllocatedBytes() - bytes;
        assertThat(shut).isEqualTo(40_000);
        assertThat(bytes / 20_000).isLessThanOrEqualTo(48);
    }

    @Test
    void aCallerWhoHasProvenNothingIsChargedUnderItsAddressAndTakesFromNobody() {
        set("global.burst", "5");
        Principal address = Principal.address("192.0.2.1");
        Call call = new Call("/mcp", Call.Kind.MESSAGE, request(McpMessage.TOOLS_CALL, "inspect"), nanos);
        int admitted = 0;
        for (int i = 0; i < 500; i++) {
            Verdict verdict = gate.decideUnproven(address, call);
            admitted += verdict instanceof Verdict.Admit ? 1 : 0;
            if (verdict instanceof Verdict.Throttle throttle) {
                assertThat(throttle.form()).isEqualTo(Form.HTTP_STATUS);
                assertThat(throttle.quota().policy()).isEqualTo("unproven");
            }
        }
        assertThat(admitted).isEqualTo(20);
        assertThat(recorded).isEmpty();
        assertThat(tool(AGENT, "inspect")).isInstanceOf(Verdict.Admit.class);
    }

    @ParameterizedTest
    @CsvSource({
        // setting, era, method, kind, form
        "auto, LEGACY, tools/call, REQUEST, JSONRPC_ERROR",
        "auto, MODERN, tools/call, REQUEST, TOOL_RESULT",
        "auto, MODERN, prompts/get, REQUEST, JSONRPC_ERROR",
        "jsonrpc_error, MODERN, tools/call, REQUEST, JSONRPC_ERROR",
        "tool_result, LEGACY, tools/call, REQUEST, TOOL_RESULT",
        "tool_result, LEGACY, prompts/get, REQUEST, JSONRPC_ERROR",
        "http_429, LEGACY, tools/call, REQUEST, HTTP_STATUS",
        "http_429, MODERN, prompts/get, REQUEST, HTTP_STATUS",
        "auto, LEGACY, tools/call, NOTIFICATION, DROPPED",
        "http_429, LEGACY, tools/call, NOTIFICATION, DROPPED"
    })
    void theFormFollowsTheSettingTheEraAndTheMessage(
            String setting, Era era, String method, McpMessage.Kind kind, Form form) {
        set("refusal_form", setting);
        set("channel.burst", "1");
        set("channel.requests_per_second", "1");
        RequestId id = kind == McpMessage.Kind.REQUEST ? new RequestId("1") : null;
        McpMessage message = new McpMessage(kind, id, method, "echo", era, null);
        call(AGENT, message);
        assertThat(call(AGENT, message))
                .isInstanceOfSatisfying(
                        Verdict.Throttle.class, t -> assertThat(t.form()).isEqualTo(form));
    }

    @Test
    void aPathWithoutRouteIsNotTheGatesAffair() {
        assertThat(gate.readsMessages("/nowhere")).isFalse();
        assertThat(gate.readsMessages("/mcp")).isTrue();
        assertThat(gate.readsMessages("/mcp/sub")).isTrue();
        assertThat(gate.readsMessages("/mcpx")).isFalse();
        assertThat(gate.readsMessages("/MCP")).isFalse();
        assertThat(gate.decide(AGENT, new Call("/nowhere", Call.Kind.OTHER, null, nanos)))
                .isInstanceOfSatisfying(Verdict.Admit.class, admit -> {
                    assertThat(admit.route()).isNull();
                    assertThat(admit.quota()).isNull();
                });
    }
}
