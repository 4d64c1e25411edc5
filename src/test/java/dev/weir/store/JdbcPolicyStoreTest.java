package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.policy.PolicyRows;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@OnEveryDatabase
class JdbcPolicyStoreTest {

    @TempDir
    Path directory;

    private final DatabaseUnderTest kind;
    private Database database;
    private JdbcPolicyStore store;

    JdbcPolicyStoreTest(DatabaseUnderTest kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() throws Exception {
        database = Database.open(kind.fresh(directory));
        store = new JdbcPolicyStore(database);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void afterTheMigrationThereAreTheThreeTiersAndNothingElse() {
        assertThat(store.load())
                .isEqualTo(new PolicyRows(
                        List.of(
                                new PolicyRows.Tier("heavy", 2, 5, 30, 0, 0, "enforce"),
                                new PolicyRows.Tier("light", 30, 60, 0, 0, 0, "enforce"),
                                new PolicyRows.Tier("standard", 10, 20, 0, 0, 0, "enforce")),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of()));
    }

    @Test
    void everyColumnComesBackAsItWasWritten() {
        run("DELETE FROM tool_tier WHERE name <> 'heavy'");
        run("UPDATE tool_tier SET rate_per_second = 2.5, burst = 5000000000, cooldown_seconds = 7,"
                + " max_concurrent = 3, max_wait_ms = 900, mode = 'shadow'");
        run("INSERT INTO route (prefix, upstream_url) VALUES ('/b', 'http://127.0.0.1:1/mcp')");
        run("INSERT INTO route (prefix, kind, upstream_url, rate_per_second, burst, refusal_form, batch, error_mode,"
                + " strip_prefix, preserve_host, tls, connect_timeout_ms, first_byte_timeout_ms, idle_timeout_ms,"
                + " total_timeout_ms, max_connections, max_queued, max_body_bytes, health_check, health_check_path,"
                + " health_check_seconds, breaker_enabled, breaker_failures, breaker_failure_percent, breaker_min_calls,"
                + " breaker_window_seconds, breaker_slow_ms, breaker_slow_percent, breaker_open_seconds,"
                + " breaker_probes, access, scopes, identity, identity_secret, enabled) VALUES ('/a', 'http', 'https://[::1]', 0, 0, 'tool_result', 'judge', 'pass',"
                + " FALSE, TRUE, 'inside', 1, 2, 3, 4, 5, 6, 7000000000, 'mcp', '/up', 8, FALSE, 9, 10, 11, 12, 13, 14, 15,"
                + " 16, 'listed', 'a b', 'signed', 'sign', FALSE)");
        run("INSERT INTO tool (route, name, tier) VALUES ('/b', 'two', 'heavy')");
        run("INSERT INTO tool (route, name, tier, cost, access, scopes, enabled)"
                + " VALUES ('/a', 'One ', 'heavy', 3, 'listed', 'x:y', FALSE)");
        run("INSERT INTO client (id, name) VALUES ('b', 'B')");
        run("INSERT INTO client (id, name, enabled, exempt, scopes, role)"
                + " VALUES ('a', 'A', FALSE, TRUE, 'a b', 'viewer')");
        run("INSERT INTO client_key (sha256, client) VALUES (REPEAT('b', 64), 'b')");
        run(
                "INSERT INTO client_key (sha256, client, label, created_at, expires_at, revoked_at) VALUES (REPEAT('a', 64),"
                        + " 'b', 'old', TIMESTAMP WITH TIME ZONE '2026-01-01 00:00:00+00',"
                        + " TIMESTAMP WITH TIME ZONE '2026-10-25 02:30:00.123456+02',"
                        + " TIMESTAMP WITH TIME ZONE '2026-01-02 00:00:00-08')");
        run("INSERT INTO tool (route, kind, name, tier) VALUES ('/b', 'method', 'prompts/get', 'heavy')");
        run("INSERT INTO client_tool (client, route, tool, allowed) VALUES ('b', '/b', 'two', FALSE)");
        run("INSERT INTO client_tool (client, route, kind, tool, tier)"
                + " VALUES ('a', '/b', 'method', 'prompts/get', 'heavy')");
        run("INSERT INTO setting (name, content) VALUES ('ban.scope', 'all')");
        run("INSERT INTO route_target (route, url) VALUES ('/b', 'https://two/mcp')");
        run("INSERT INTO route_target (route, url, enabled) VALUES ('/a', 'http://one/mcp', FALSE)");
        run("INSERT INTO route_header (route, name, content) VALUES ('/a', 'Authorization', 'Bearer ${secret.x}')");
        run("INSERT INTO client_route (client, route, tools) VALUES ('b', '/a', 'listed')");
        run("INSERT INTO client_route (client, route, allowed) VALUES ('a', '/b', FALSE)");
        run("INSERT INTO client_token (content, client) VALUES ('app', 'b')");
        run("INSERT INTO client_token (claim, content, client) VALUES ('sub', 'Ann Other', 'a')");
        assertThat(store.load())
                .isEqualTo(new PolicyRows(
                        List.of(new PolicyRows.Tier("heavy", 2.5, 5_000_000_000L, 7, 3, 900, "shadow")),
                        List.of(
                                new PolicyRows.Route(
                                        "/a",
                                        "http",
                                        "https://[::1]",
                                        0.0,
                                        0L,
                                        "tool_result",
                                        "judge",
                                        new PolicyRows.Transit(
                                                false, true, "pass", "inside", 1, 2, 3, 4, 5, 6, 7_000_000_000L),
                                        new PolicyRows.HealthCheck("mcp", "/up", 8),
                                        new PolicyRows.Breaker(false, 9, 10, 11, 12, 13, 14, 15, 16),
                                        new PolicyRows.Guard("listed", "a b", "signed", "sign"),
                                        false),
                                new PolicyRows.Route("/b", "http://127.0.0.1:1/mcp")),
                        List.of(
                                new PolicyRows.Tool("/a", "tool", "One ", "heavy", 3, "listed", "x:y", false),
                                new PolicyRows.Tool("/b", "method", "prompts/get", "heavy", 1, true),
                                new PolicyRows.Tool("/b", "tool", "two", "heavy", 1, true)),
                        List.of(
                                new PolicyRows.Client("a", "A", false, true, "a b", "viewer"),
                                new PolicyRows.Client("b", "B", true, false)),
                        List.of(
                                new PolicyRows.ClientKey(
                                        "a".repeat(64),
                                        "b",
                                        Instant.parse("2026-10-25T00:30:00.123456Z"),
                                        Instant.parse("2026-01-02T08:00:00Z")),
                                new PolicyRows.ClientKey("b".repeat(64), "b", null, null)),
                        List.of(
                                new PolicyRows.ClientTool("a", "/b", "method", "prompts/get", "heavy", true),
                                new PolicyRows.ClientTool("b", "/b", "tool", "two", null, false)),
                        List.of(new PolicyRows.Setting("ban.scope", "all")),
                        List.of(
                                new PolicyRows.RouteTarget("/a", "http://one/mcp", false),
                                new PolicyRows.RouteTarget("/b", "https://two/mcp", true)),
                        List.of(new PolicyRows.RouteHeader("/a", "Authorization", "Bearer ${secret.x}")),
                        List.of(
                                new PolicyRows.ClientRoute("a", "/b", false, "all"),
                                new PolicyRows.ClientRoute("b", "/a", true, "listed")),
                        List.of(
                                new PolicyRows.ClientToken("client_id", "app", "b"),
                                new PolicyRows.ClientToken("sub", "Ann Other", "a"))));
        assertThat(store.load()).isEqualTo(store.load());
    }

    @Test
    void aTransactionOverTheFirstAndTheLastTableIsSeenWholeOrNotAtAll() throws Exception {
        run("INSERT INTO setting (name, content) VALUES ('n', '0')");
        run("UPDATE tool_tier SET burst = 1");
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger written = new AtomicInteger();
        Thread writer = new Thread(() -> {
            while (!done.get()) {
                int n = written.incrementAndGet();
                database.jdbi().useTransaction(handle -> {
                    handle.execute("UPDATE tool_tier SET burst = ?", n + 1);
                    handle.execute("UPDATE setting SET content = ?", Integer.toString(n));
                });
            }
        });
        writer.start();
        int seen = 0;
        try {
            for (int i = 0; i < 5_000 && seen < 500; i++) {
                PolicyRows rows = store.load();
                int n = Integer.parseInt(rows.settings().get(0).content());
                assertThat(rows.tiers()).allMatch(tier -> tier.burst() == n + 1);
                seen = n;
            }
        } finally {
            done.set(true);
            writer.join();
        }
        assertThat(seen).as("changes while reading").isGreaterThan(100);
    }

    private void run(String sql) {
        database.jdbi().useHandle(handle -> handle.execute(sql));
    }
}
