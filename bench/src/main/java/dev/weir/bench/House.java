package dev.weir.bench;

import dev.weir.auth.Caller;
import dev.weir.auth.Principal;
import dev.weir.ban.Ban;
import dev.weir.ban.BanBook;
import dev.weir.ban.BanChanges;
import dev.weir.ban.BanHistory;
import dev.weir.ban.BanRule;
import dev.weir.ban.BanWatch;
import dev.weir.ban.Precedent;
import dev.weir.ban.ThrottleTally;
import dev.weir.gate.Call;
import dev.weir.gate.Decisions;
import dev.weir.gate.Gatekeeper;
import dev.weir.gate.Verdict;
import dev.weir.limit.BareBucket;
import dev.weir.limit.BucketName;
import dev.weir.limit.BucketSnapshots;
import dev.weir.limit.Charge;
import dev.weir.limit.Level;
import dev.weir.limit.Limit;
import dev.weir.limit.LocalBuckets;
import dev.weir.limit.Outcome;
import dev.weir.limit.Take;
import dev.weir.limit.Tier;
import dev.weir.mcp.Era;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.RequestId;
import dev.weir.policy.Policy;
import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.PolicyRejectedException;
import dev.weir.policy.PolicyRows;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * Weir's core, put together as the product puts it together, with the real compiler of policies and the real clocks; only the
 * database is a list. The one class here that names Weir's own types: what changes there is followed here.
 */
final class House {

    private static final String ROUTE = "/mcp";
    private static final int MAX_KINDS = 20_000;
    private static final Clock CLOCK = Clock.systemUTC();

    private final LocalBuckets buckets = new LocalBuckets(Integer.MAX_VALUE, System::nanoTime);
    private final BanBook bans;
    private final Gatekeeper gate;
    private final Call[] calls;
    private final Charge[] charges;

    /**
     * @param tools  how many tools there are, each with a bucket of its own for each principal
     * @param purse  how the tools' own limits are filled; all wider ones are never dry
     * @param banned who is banned from the start
     */
    House(int tools, Purse purse, List<String> banned) {
        PolicyBook policies = new PolicyBook(policy(tools, purse), CLOCK);
        this.bans = new BanBook(new BanList(banned), BanWatch.NONE, CLOCK, System::nanoTime, () -> "ban");
        bans.restore();
        LocalBuckets unproven = new LocalBuckets(0, System::nanoTime);
        Decisions decisions = new Decisions(new ThrottleTally(MAX_KINDS, CLOCK));
        this.gate = new Gatekeeper(policies, buckets, unproven, bans, decisions);
        this.calls = IntStream.range(0, tools).mapToObj(House::call).toArray(Call[]::new);
        this.charges = IntStream.range(0, tools)
                .mapToObj(tool -> oneTake(tool, limit(purse)))
                .toArray(Charge[]::new);
    }

    /** A client that has proven itself, as the policy holds it ready for each of its keys. */
    static Caller caller(int number) {
        String client = String.format("agent-%07d", number);
        return new Caller(Principal.client(client), client, false);
    }

    /** What a caller's buckets are found by. */
    static String key(Caller caller) {
        return caller.principal().key();
    }

    static String tool(int number) {
        return "tool_" + number;
    }

    /** A bucket with nothing around it. */
    static BareBucket bareBucket(Purse purse) {
        return new BareBucket(limit(purse));
    }

    /** The whole decision on one call of a tool: the tool's, the channel's, the route's and the global limit. */
    Verdict decide(Caller caller, int tool) {
        return gate.decide(caller, calls[tool]);
    }

    /** One take from the caller's bucket on a tool, and nothing else. */
    Outcome take(Caller caller, int tool) {
        return buckets.take(key(caller), charges[tool]);
    }

    /** Whether everything was taken. */
    static boolean isTaken(Outcome outcome) {
        return outcome instanceof Outcome.Taken;
    }

    /** What {@link #decide} came to, as the name of the kind of verdict. */
    static String kind(Verdict verdict) {
        return verdict.getClass().getSimpleName();
    }

    /** Finds the ban of a caller, and nothing else; whether there is one. */
    boolean isBanned(Caller caller) {
        return bans.find(key(caller)) != null;
    }

    int principals() {
        return buckets.principals();
    }

    /** Does what the product does every few seconds, so that nothing is kept for saving only. */
    void save() {
        buckets.saveTo(BucketSnapshots.NONE);
    }

    private static Charge oneTake(int tool, Limit limit) {
        BucketName name = new BucketName(Level.TOOL, ROUTE, tool(tool));
        return new Charge(List.of(new Take(name, Tier.of("tier", limit), 1)));
    }

    private static Limit limit(Purse purse) {
        return Limit.of(rate(purse), burst(purse));
    }

    private static double rate(Purse purse) {
        return purse == Purse.NEVER_DRY ? Limit.MAX_RATE : 0.000_01;
    }

    private static long burst(Purse purse) {
        return purse == Purse.NEVER_DRY ? 1_000_000_000_000_000L : 1;
    }

    private static Policy policy(int tools, Purse purse) {
        Limit wide = limit(Purse.NEVER_DRY);
        PolicyRows rows = new PolicyRows(
                List.of(
                        new PolicyRows.Tier("standard", 10, 20, 0, 0, 0, "enforce"),
                        new PolicyRows.Tier("tier", rate(purse), burst(purse), 0, 0, 0, "enforce")),
                List.of(new PolicyRows.Route(
                        ROUTE,
                        "mcp",
                        "http://127.0.0.1:9/mcp",
                        wide.ratePerSecond(),
                        wide.capacity(),
                        null,
                        "refuse",
                        PolicyRows.Transit.DEFAULT,
                        PolicyRows.HealthCheck.DEFAULT,
                        PolicyRows.Breaker.DEFAULT,
                        PolicyRows.Guard.DEFAULT,
                        true)),
                IntStream.range(0, tools)
                        .mapToObj(tool -> new PolicyRows.Tool(ROUTE, "tool", tool(tool), "tier", 1, true))
                        .toList(),
                List.of(new PolicyRows.Client("operator", "operator", true, true)),
                List.of(),
                List.of(),
                List.of());
        try {
            return Policy.compile(rows, new PolicyBase(true, wide, wide, null));
        } catch (PolicyRejectedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A call that arrived before any answer was written, so that all throttles of a principal are one strike. */
    private static Call call(int tool) {
        McpMessage message = new McpMessage(
                McpMessage.Kind.REQUEST, new RequestId("1"), McpMessage.TOOLS_CALL, tool(tool), Era.MODERN, null);
        return new Call(ROUTE, Call.Kind.MESSAGE, message, System.nanoTime());
    }

    /** A history that begins with some bans and keeps no others. */
    private record BanList(List<String> principals) implements BanHistory {

        @Override
        public CompletionStage<Void> record(Ban ban) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Boolean> lift(String id, String by, String reason, Instant at) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public List<Precedent> precedents(Instant after, Instant by) {
            return List.of();
        }

        @Override
        public BanChanges changes(Instant now) {
            return new BanChanges(
                    principals.stream().map(principal -> ban(principal, now)).toList(), List.of());
        }

        private static Ban ban(String principal, Instant now) {
            return new Ban(
                    "ban-" + principal,
                    principal,
                    BanRule.Scope.TOOLS,
                    "6 throttles in 10s on [tool_0]",
                    ROUTE,
                    tool(0),
                    6,
                    10,
                    List.of(),
                    0,
                    null,
                    now,
                    now.plus(Duration.ofDays(1)));
        }
    }
}
