package dev.weir.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.auth.ClientKey;
import dev.weir.ban.BanRule;
import dev.weir.ban.BanTerm;
import dev.weir.limit.BucketName;
import dev.weir.limit.Level;
import dev.weir.limit.Limit;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTest {

    private static final PolicyRows.Tier STANDARD = new PolicyRows.Tier("standard", 10, 20, 0, 0, 0, "enforce");

    private final List<PolicyRows.Tier> tiers = new ArrayList<>(List.of(STANDARD));
    private final List<PolicyRows.Route> routes = new ArrayList<>();
    private final List<PolicyRows.Tool> tools = new ArrayList<>();
    private final List<PolicyRows.ClientTool> clientTools = new ArrayList<>();
    private final List<PolicyRows.Client> clients = new ArrayList<>();
    private final List<PolicyRows.ClientKey> keys = new ArrayList<>();
    private final List<PolicyRows.Setting> settings = new ArrayList<>();
    private @Nullable URI upstream;
    private boolean enabled = true;
    private NamedSettings named = NamedSettings.NONE;
    private final List<PolicyRows.RouteTarget> targets = new ArrayList<>();
    private final List<PolicyRows.RouteHeader> headers = new ArrayList<>();

    private Policy compile() throws PolicyRejectedException {
        PolicyRows rows = new PolicyRows(
                tiers, routes, tools, clients, keys, clientTools, settings, targets, headers, List.of(), List.of());
        return Policy.compile(
                rows, new PolicyBase(enabled, Limit.of(100, 50), Limit.of(1_000, 2_000), upstream, named));
    }

    private Route mcp() throws PolicyRejectedException {
        return Objects.requireNonNull(compile().route("/mcp"));
    }

    private static PolicyRows.Route route(String prefix) {
        return new PolicyRows.Route(prefix, "http://127.0.0.1:9/up");
    }

    private static PolicyRows.Route route(String prefix, @Nullable Double rate, @Nullable Long burst, boolean enabled) {
        return new PolicyRows.Route(
                prefix,
                "mcp",
                "http://127.0.0.1:9/",
                rate,
                burst,
                null,
                "refuse",
                PolicyRows.Transit.DEFAULT,
                PolicyRows.HealthCheck.DEFAULT,
                PolicyRows.Breaker.DEFAULT,
                PolicyRows.Guard.DEFAULT,
                enabled);
    }

    private String problem() {
        try {
            compile();
        } catch (PolicyRejectedException e) {
            assertThat(e.problems()).hasSize(1);
            return e.problems().get(0).toString();
        }
        throw new AssertionError("the rows were taken");
    }

    @ParameterizedTest
    @CsvSource({
        "/mcp, /mcp",
        "/mcp/, /mcp",
        "/mcp/a/b, /mcp",
        "/mcp/team, /mcp/team",
        "/mcp/team/x, /mcp/team",
        "/mcp/teams, /mcp",
        "/mcpx,",
        "/,",
        "/other,"
    })
    void theLongestPrefixOfWholeSegmentsWins(String path, @Nullable String prefix) throws Exception {
        routes.add(route("/mcp"));
        routes.add(route("/mcp/team"));
        Route found = compile().route(path);
        assertThat(found == null ? null : found.prefix()).isEqualTo(prefix);
    }

    @Test
    void theRootMayBeARoute() throws Exception {
        routes.add(route("/"));
        assertThat(compile().route("/any/thing")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mcp",
                "/mcp/",
                "//",
                "/a//b",
                "/a b",
                "/a%20b",
                "/a/../b",
                "/..",
                "",
                "/a?x",
                "/admin",
                "/mcp/~sse",
                "/~sse/x",
                "/health",
                "/ready/x",
                "/.well-known/x"
            })
    void whatIsNoPrefixIsRefusedByName(String prefix) {
        routes.add(route(prefix));
        assertThat(problem()).startsWith("table route, row [" + prefix + "]: prefix must");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://host/",
                "http://",
                "/mcp",
                "http://u:p@host/",
                "http://host/?q=1",
                "http://host/#f",
                "http://ho st/",
                "",
                "mailto:a@b"
            })
    void whatIsNoUpstreamIsRefusedByName(String url) {
        routes.add(new PolicyRows.Route("/mcp", url));
        assertThat(problem()).startsWith("table route, row [/mcp]: upstream_url must be http(s)://");
    }

    @Test
    void whatIsOutOfRangeOnTheWayIsRefusedByName() {
        PolicyRows.Route sound = route("/mcp");
        routes.add(new PolicyRows.Route(
                "/mcp",
                sound.kind(),
                sound.upstreamUrl(),
                null,
                null,
                null,
                "refuse",
                new PolicyRows.Transit(true, false, "unified", null, 3_000, 0, 600_000, 0, 1, 0, 0),
                sound.check(),
                sound.breaker(),
                sound.guard(),
                true));
        assertThat(problem())
                .isEqualTo("table route, row [/mcp]: first_byte_timeout_ms must be from 1 to 86400000, not 0");
    }

    private static PolicyRows.Route over(String prefix, @Nullable String tls, int connectMillis) {
        PolicyRows.Route sound = route(prefix);
        return new PolicyRows.Route(
                prefix,
                sound.kind(),
                sound.upstreamUrl(),
                null,
                null,
                null,
                "refuse",
                new PolicyRows.Transit(true, false, "unified", tls, connectMillis, 1, 1, 0, 1, 0, 0),
                sound.check(),
                sound.breaker(),
                sound.guard(),
                true);
    }

    @Test
    void aRouteMayHaveMoreTargetsThanOne() throws Exception {
        routes.add(route("/mcp"));
        routes.add(route("/other"));
        targets.add(new PolicyRows.RouteTarget("/mcp", "https://b/x", true));
        targets.add(new PolicyRows.RouteTarget("/mcp", "https://c/x", false));
        assertThat(mcp().others()).containsExactly(URI.create("https://b/x"));
        assertThat(Objects.requireNonNull(compile().route("/other")).others()).isEmpty();
        targets.add(new PolicyRows.RouteTarget("/mcp", "http://u:p@b/", true));
        assertThat(problem())
                .isEqualTo(
                        "table route_target, row [/mcp http://u:p@b/]: url must be http(s)://host[:port][/path] and no"
                                + " more, which [http://u:p@b/] is not");
        targets.set(2, new PolicyRows.RouteTarget("/mcp", "http://127.0.0.1:9/up", true));
        assertThat(problem()).endsWith("url must not be the route's own upstream_url");
    }

    @Test
    void aHeaderMayNameSecretsAndShowsNone() throws Exception {
        named = new NamedSettings(Set.of(), Map.of("billing-token", "s3cret", "b", "x"));
        routes.add(route("/mcp"));
        headers.add(
                new PolicyRows.RouteHeader("/mcp", "Authorization", "Bearer ${secret.BILLING_TOKEN}.${secret.b} $"));
        headers.add(new PolicyRows.RouteHeader("/nowhere", "X-A", "a"));
        assertThat(mcp().headers()).containsExactly(new RouteHeader("Authorization", "Bearer s3cret.x $"));
        assertThat(mcp().toString()).contains("Authorization").doesNotContain("s3cret");
        assertThat(named.toString()).contains("billing-token").doesNotContain("s3cret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "X-A|${secret.none}|content names the secret [none], and there is no setting mcp.secrets.none",
                "X-A|${other}|content may have ${secret.NAME} or ${basic.NAME}, and no other ${",
                "X-A|${secret.|content may have ${secret.NAME} or ${basic.NAME}, and no other ${",
                "X-A|${secret.lines}|content, with its secrets, must be one line of ASCII without space at its ends",
                "X A|a|name must be letters, digits and hyphens",
                "Transfer-Encoding|a|name must not be one that Weir or HTTP itself needs, as this one is",
                "host|a|name must not be one that Weir or HTTP itself needs, as this one is",
                "Mcp-Name|a|name must not be one that Weir or HTTP itself needs, as this one is",
                "x-twice|a|name must stand once for a route, in whatever letters"
            })
    void aHeaderThatCannotBeSentIsRefusedByName(String name, String content, String rule) {
        named = new NamedSettings(Set.of(), Map.of("lines", "s3cret\nX-B: b"));
        routes.add(route("/mcp"));
        headers.add(new PolicyRows.RouteHeader("/mcp", "X-Twice", "a"));
        headers.add(new PolicyRows.RouteHeader("/mcp", name, content));
        assertThat(problem()).isEqualTo("table route_header, row [/mcp " + name + "]: " + rule);
    }

    @Test
    void aTrustMustBeOneThatTheSettingsHave() throws Exception {
        routes.add(over("/mcp", "In_Side", 1_000));
        assertThat(problem())
                .isEqualTo("table route, row [/mcp]: tls must be a name of mcp.upstream-tls in the settings, of which"
                        + " there is no [In_Side]");
        named = new NamedSettings(Set.of("in-side"), Map.of());
        assertThat(mcp().transit().tls()).isEqualTo("in-side");
    }

    @Test
    void thereIsABoundOnHowManyWaysToUpstreamsThereAre() throws Exception {
        for (int i = 1; i <= WayCompiler.MOST_WAYS; i++) {
            routes.add(over("/mcp" + i, null, i));
        }
        routes.add(over("/again", null, 1));
        assertThat(compile().routes()).hasSize(WayCompiler.MOST_WAYS + 1);
        routes.add(over("/more", null, 1_000));
        assertThat(problem()).contains("row [/more]: all routes together may have 32 different pairs");
    }

    @Test
    void aRouteThatIsNotEnabledIsNone() throws Exception {
        routes.add(route("/mcp", null, null, false));
        assertThat(compile().route("/mcp")).isNull();
    }

    @Test
    void theStaticUpstreamStandsBehindMcpWhileThereAreNoRoutes() throws Exception {
        upstream = URI.create("http://127.0.0.1:7/x");
        assertThat(compile().route("/mcp"))
                .isNotNull()
                .extracting(Route::upstream)
                .isEqualTo(upstream);
        routes.add(route("/other"));
        assertThat(compile().route("/mcp")).isNull();
    }

    @Test
    void aToolsChargeGoesOverAllLevelsNarrowestFirst() throws Exception {
        tiers.add(new PolicyRows.Tier("heavy", 2, 5, 30, 0, 0, "enforce"));
        routes.add(route("/mcp", 7.0, 9L, true));
        tools.add(new PolicyRows.Tool("/mcp", "tool", "t", "heavy", 3, true));
        Route route = mcp();
        assertThat(route.tool("t").charge().takes())
                .extracting(
                        take -> take.bucket().level(),
                        take -> take.tier().limit().ratePerSecond(),
                        take -> take.cost())
                .containsExactly(
                        tuple(Level.TOOL, 2.0, 3L),
                        tuple(Level.CHANNEL, 100.0, 1L),
                        tuple(Level.ROUTE, 7.0, 1L),
                        tuple(Level.GLOBAL, 1_000.0, 1L));
        assertThat(route.tool("x").charge().takes().get(0).bucket())
                .isEqualTo(new BucketName(Level.TOOL, "/mcp", BucketName.UNREGISTERED));
        assertThat(route.other().takes()).hasSize(3);
    }

    @Test
    void aTierThatIsOffLimitsNothingAndNothingIsLimitedWhereLimitsAreOff() throws Exception {
        tiers.add(new PolicyRows.Tier("free", 2, 5, 30, 0, 0, "off"));
        routes.add(route("/mcp"));
        tools.add(new PolicyRows.Tool("/mcp", "tool", "t", "free", 1, true));
        assertThat(mcp().tool("t").charge().takes())
                .extracting(take -> take.bucket().level())
                .containsExactly(Level.CHANNEL, Level.GLOBAL);
        enabled = false;
        assertThat(mcp().tool("x").charge().takes()).isEmpty();
        assertThat(mcp().other().takes()).isEmpty();
    }

    @Test
    void tiersAreCheckedByName() {
        tiers.add(new PolicyRows.Tier("odd", 2, 0, 0, 0, 0, "enforce"));
        assertThat(problem()).startsWith("table tool_tier, row [odd]: burst must be at least 1");
        tiers.set(1, new PolicyRows.Tier("odd", 2, 1, -1, 0, 0, "enforce"));
        assertThat(problem()).contains("cooldown_seconds must not be negative");
        tiers.set(1, new PolicyRows.Tier("odd", 2, 1, 0, 0, 0, "sometimes"));
        assertThat(problem()).contains("mode must be enforce, shadow or off, not [sometimes]");
    }

    /** Case O49: rows with strange numbers are either in force as they are written, or refused by name. */
    @ParameterizedTest
    @CsvSource({
        "1000, 1, ",
        "0.0001, 1, ",
        "0, 0, ",
        "0, 5, ",
        "1, 2147483648, ",
        "1, 0, burst must be at least 1 where the rate is above 0",
        "1, 9223372036854775807, would take too long to fill",
        "0.0001, 2147483648, would take too long to fill",
        "1e300, 1, rate must be from 0 to 1000000 a second"
    })
    void strangeNumbersAreInForceAsWrittenOrRefused(double rate, long burst, @Nullable String problem)
            throws Exception {
        tiers.add(new PolicyRows.Tier("odd", rate, burst, 0, 0, 0, "enforce"));
        if (problem != null) {
            assertThat(problem()).startsWith("table tool_tier, row [odd]: ").contains(problem);
            return;
        }
        routes.add(route("/mcp"));
        tools.add(new PolicyRows.Tool("/mcp", "tool", "t", "odd", 1, true));
        Limit limit = mcp().tool("t").charge().takes().get(0).tier().limit();
        assertThat(limit.ratePerSecond()).isEqualTo(rate);
        assertThat(limit.capacity()).isEqualTo(burst);
        assertThat(limit.blocks()).isEqualTo(rate == 0);
    }

    @Test
    void toolsAreCheckedByName() {
        routes.add(route("/mcp"));
        tools.add(new PolicyRows.Tool("/mcp", "tool", "t", "none", 1, true));
        assertThat(problem()).isEqualTo("table tool, row [/mcp t]: there is no tier [none]");
        tools.set(0, new PolicyRows.Tool("/mcp", "tool", "t", "standard", 21, true));
        assertThat(problem()).contains("a cost of 21 never fits into a burst of 20");
        tools.set(0, new PolicyRows.Tool("/nowhere", "tool", "t", "standard", 1, true));
        assertThat(problem()).contains("there is no route [/nowhere]");
    }

    @ParameterizedTest
    @CsvSource({
        "no.such, 1, there is no setting",
        "refusal_form, loud, refusal_form must be",
        "unregistered_tools, maybe, unregistered_tools must be standard or refuse",
        "global.burst, x, global.burst must be a whole number",
        "global.requests_per_second, x, global.requests_per_second must be a number",
        "channel.requests_per_second, -1, rate must be from 0",
        "channel.burst, 0, burst must be at least 1",
        "ban.threshold, -1, threshold must be from 0",
        "ban.window_seconds, 0, window must be above 0",
        "ban.duration_seconds, 0, duration must be above 0",
        "ban.duration_seconds, 90000, 'max_duration_seconds must be at least duration_seconds, 90000'",
        "ban.max_duration_seconds, 899, 'max_duration_seconds must be at least duration_seconds, 900'",
        "ban.max_duration_seconds, long, ban.max_duration_seconds must be a whole number",
        "ban.escalation_factor, 0.5, escalation_factor must be from 1 to 10",
        "ban.escalation_factor, NaN, escalation_factor must be from 1 to 10",
        "ban.escalation_factor, two, ban.escalation_factor must be a number",
        "ban.forget_days, -1, forget_days must be from 0",
        "ban.forget_days, 1.5, ban.forget_days must be a whole number",
        "ban.scope, some, ban.scope must be tools or all",
        "ban.count, some, ban.count must be informed or every",
        "retention.throttle_event_days, -1, throttle_event_days must be from 0",
        "retention.throttle_event_days, month, retention.throttle_event_days must be a whole number",
        "retention.ban_days, 3651, ban_days must be from 0 (for ever) to 3650",
        "retention.ban_days, 0.5, retention.ban_days must be a whole number"
    })
    void settingsAreCheckedByName(String name, String content, String rule) {
        settings.add(new PolicyRows.Setting(name, content));
        assertThat(problem()).startsWith("table setting, row [").contains(rule);
    }

    @Test
    void everySettingOfBansIsInTheRule() throws Exception {
        BanTerm term = new BanTerm(Duration.ofMinutes(15), 2, Duration.ofDays(1), Duration.ofDays(7));
        assertThat(compile().banRule())
                .isEqualTo(new BanRule(5, Duration.ofSeconds(10), term, BanRule.Scope.TOOLS, BanRule.Count.INFORMED));
        for (String[] row : new String[][] {
            {"ban.threshold", "1"},
            {"ban.window_seconds", "2"},
            {"ban.duration_seconds", "3"},
            {"ban.escalation_factor", "1.5"},
            {"ban.max_duration_seconds", "4"},
            {"ban.forget_days", "0"},
            {"ban.scope", "all"},
            {"ban.count", "every"}
        }) {
            settings.add(new PolicyRows.Setting(row[0], row[1]));
        }
        BanTerm changed = new BanTerm(Duration.ofSeconds(3), 1.5, Duration.ofSeconds(4), Duration.ZERO);
        assertThat(compile().banRule())
                .isEqualTo(new BanRule(1, Duration.ofSeconds(2), changed, BanRule.Scope.ALL, BanRule.Count.EVERY));
    }

    @Test
    void historyIsKeptAsLongAsTheSettingsSay() throws Exception {
        assertThat(compile().retention())
                .isEqualTo(new Retention(Duration.ofDays(30), Duration.ofDays(365), Duration.ofDays(365)));
        settings.add(new PolicyRows.Setting("retention.throttle_event_days", "0"));
        settings.add(new PolicyRows.Setting("retention.ban_days", "3650"));
        settings.add(new PolicyRows.Setting("retention.admin_event_days", "7"));
        assertThat(compile().retention())
                .isEqualTo(new Retention(Duration.ZERO, Duration.ofDays(3_650), Duration.ofDays(7)));
    }

    @Test
    void everyProblemIsTold() {
        tiers.add(new PolicyRows.Tier("odd", -2, 5, 0, 0, 0, "enforce"));
        routes.add(route("bad"));
        settings.add(new PolicyRows.Setting("no.such", "1"));
        assertThatThrownBy(this::compile)
                .isInstanceOfSatisfying(
                        PolicyRejectedException.class,
                        e -> assertThat(e.problems()).hasSize(3));
    }

    @Test
    void aKeyHoldsWhileItsClientIsEnabledAndItIsNeitherExpiredNorRevoked() throws Exception {
        Instant now = Instant.parse("2026-11-30T06:30:00Z");
        clients.add(new PolicyRows.Client("a", "A", true, false));
        clients.add(new PolicyRows.Client("vip", "V", true, true));
        clients.add(new PolicyRows.Client("off", "Off", false, false));
        keys.add(new PolicyRows.ClientKey("k1", "a", null, null));
        keys.add(new PolicyRows.ClientKey("k2", "a", now, null));
        keys.add(new PolicyRows.ClientKey("k3", "a", null, now));
        keys.add(new PolicyRows.ClientKey("k4", "off", null, null));
        keys.add(new PolicyRows.ClientKey("k5", "vip", null, null));
        Policy policy = compile();
        assertThat(policy.key("k1", now)).isEqualTo(ClientKey.of("a", "k1", false));
        assertThat(policy.key("k2", now.minusMillis(1))).isEqualTo(ClientKey.of("a", "k2", false));
        assertThat(policy.key("k2", now)).isNull();
        assertThat(policy.key("k3", now)).isNull();
        assertThat(policy.key("k4", now)).isNull();
        assertThat(policy.key("k5", now)).isEqualTo(ClientKey.of("vip", "k5", true));
        assertThat(policy.key("nope", now)).isNull();
    }
}
