package dev.weir.app;

import static dev.weir.app.AdminClient.TOKEN;
import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What operators see of buckets, bans, tools and the house, by the API of a running Weir. */
@Timeout(120)
class LookingTest {

    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

    @TempDir
    static Path directory;

    private static StubUpstream upstream;
    private static RunningWeir weir;
    private static AdminClient admin;

    @BeforeAll
    static void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + PONG.length() + "\r\n\r\n" + PONG));
        weir = RunningWeir.startWith(
                List.of(
                        "UPDATE tool_tier SET rate_per_second = 0.001, burst = 2, cooldown_seconds = 60 WHERE name = 'heavy'",
                        "INSERT INTO tool_tier (name, rate_per_second, burst) VALUES ('dear', 0.001, 3)",
                        "INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'T2', 'dear')",
                        "INSERT INTO tool (route, name, tier, access) VALUES ('/mcp', 'T3', 'dear', 'listed')",
                        "INSERT INTO client (id, name, exempt) VALUES ('vip', 'VIP', TRUE)",
                        "INSERT INTO client_tool (client, route, tool, tier) VALUES ('c2', '/mcp', 'T1', 'dear')",
                        "INSERT INTO ban (id, principal, expires_at) VALUES ('b-1', 'client:bad',"
                                + " TIMESTAMP WITH TIME ZONE '2199-01-01 00:00:00+00')",
                        "INSERT INTO client (id, name) VALUES ('bad', 'Bad')",
                        "INSERT INTO setting (name, content) VALUES ('channel.burst', '77')"),
                directory,
                upstream.base(),
                "mcp.admin.token",
                TOKEN);
        admin = new AdminClient(weir);
    }

    @AfterAll
    static void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    private static void send(String key, String tool, int times) throws IOException {
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < times; i++) {
                wire.send(post(key, call(i, tool)));
                wire.answer();
            }
        }
    }

    private static JsonNode explain(String query) throws Exception {
        AdminClient.Reply reply = admin.get("/v1/explain?" + query);
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        return reply.json();
    }

    @Test
    void whatIsExplainedIsWhatComesAndTakesNothing() throws Exception {
        for (int i = 0; i < 5; i++) {
            JsonNode told = explain("principal=client:c1&route=/mcp&tool=T1");
            assertThat(told.path("verdict").asString()).isEqualTo("admit");
            assertThat(told.at("/levels/0/tokensLeft").asInt()).isEqualTo(2);
        }
        send(K1, "T1", 2);
        JsonNode dry = explain("principal=client:c1&route=/mcp&tool=T1");
        assertThat(dry.path("verdict").asString()).isEqualTo("throttle");
        assertThat(dry.path("level").asString()).isEqualTo("tool");
        assertThat(dry.path("reason").asString()).isEqualTo("empty");
        assertThat(dry.path("retryAfterMs").asLong()).isGreaterThan(60_000);
        assertThat(Instant.parse(dry.path("until").asString())).isAfter(Instant.now());
        assertThat(dry.path("why").asString()).contains("[heavy]", "0.001 a second", "burst of 2");
        assertThat(dry.at("/strikes/count").asInt()).isZero();
        send(K1, "T1", 1);
        JsonNode cooling = explain("principal=client:c1&route=/mcp&tool=T1");
        assertThat(cooling.at("/levels/0/coolingMs").asLong()).isBetween(1L, 60_000L);
        assertThat(cooling.at("/levels/0/cooldownMs").asLong()).isEqualTo(60_000);
        assertThat(cooling.at("/strikes/count").asInt()).isEqualTo(1);
        assertThat(cooling.at("/strikes/threshold").asInt()).isEqualTo(5);
        assertThat(cooling.at("/levels/0/from/0/table").asString()).isEqualTo("tool");
        assertThat(cooling.at("/levels/1/from/1/row").asBoolean())
                .as("channel.burst has a row")
                .isTrue();
        assertThat(cooling.at("/levels/1/burst").asInt()).isEqualTo(77);
    }

    @Test
    void overridesBansPermissionsAndExemptionsAreExplained() throws Exception {
        JsonNode own = explain("principal=client:c2&route=/mcp&tool=T1");
        assertThat(own.at("/levels/0/tier").asString()).isEqualTo("dear");
        assertThat(own.at("/levels/0/from/0/table").asString()).isEqualTo("client_tool");
        JsonNode banned = explain("principal=client:bad&route=/mcp&tool=T1");
        assertThat(banned.path("verdict").asString()).isEqualTo("shut");
        assertThat(banned.path("until").asString()).isEqualTo("2199-01-01T00:00:00.000Z");
        assertThat(banned.at("/ban/id").asString()).isEqualTo("b-1");
        assertThat(explain("principal=client:bad&route=/mcp&method=ping")
                        .path("verdict")
                        .asString())
                .isEqualTo("admit");
        JsonNode denied = explain("principal=client:c1&route=/mcp&tool=T3");
        assertThat(denied.path("verdict").asString()).isEqualTo("forbid");
        assertThat(denied.at("/permission/why").asString()).isEqualTo("may not be called by this client");
        assertThat(explain("principal=client:vip&route=/mcp&tool=T1")
                        .path("exempt")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void principalsOfAllKindsAreExplained() throws Exception {
        String key = ApiKey.digest(K1).substring(0, 16);
        for (String principal :
                List.of("user:somebody", "address:10.0.0.1", "agent:10.0.0.1%200123456789abcdef", "key:" + key)) {
            JsonNode told = explain("principal=" + principal + "&route=/mcp&tool=T2");
            assertThat(told.path("assumes").size()).as(principal).isPositive();
            assertThat(told.path("verdict").asString()).as(principal).isIn("admit", "forbid");
        }
    }

    @Test
    void questionsThatCannotBeAnsweredAreRefused() throws Exception {
        refused("", 400, "not_valid");
        refused("route=/mcp", 400, "not_valid");
        refused("principal=client:c1", 400, "not_valid");
        refused("principal=nobody&route=/mcp", 400, "not_valid");
        refused("principal=client:c1&route=/mcp&tool=T1&method=ping", 400, "not_valid");
        refused("principal=client:c1&route=/nowhere&tool=T1", 404, "not_found");
        refused("principal=client:unknown&route=/mcp&tool=T1", 404, "not_found");
        refused("principal=key:0000000000000000&route=/mcp&tool=T1", 404, "not_found");
        assertThat(admin.get("/v1/buckets?limit=501").status()).isEqualTo(400);
        assertThat(admin.get("/v1/buckets?level=wide").status()).isEqualTo(400);
        assertThat(admin.get("/v1/unregistered-tools?limit=0").status()).isEqualTo(400);
    }

    private static void refused(String query, int status, String code) throws Exception {
        AdminClient.Reply reply = admin.get("/v1/explain?" + query);
        assertThat(reply.status()).as(query).isEqualTo(status);
        assertThat(reply.json().path("code").asString()).as(query).isEqualTo(code);
    }

    @Test
    void bucketsAreLookedAtWithoutBeingDisturbed() throws Exception {
        send(K2, "T2", 2);
        for (int i = 0; i < 3; i++) {
            JsonNode found = admin.get("/v1/buckets?principal=client:c2&level=tool&tool=T2")
                    .json();
            assertThat(found.path("items").size()).isEqualTo(1);
            JsonNode bucket = found.path("items").get(0);
            assertThat(bucket.path("tier").asString()).isEqualTo("dear");
            assertThat(bucket.path("tokensLeft").asInt()).isEqualTo(1);
            assertThat(bucket.path("burst").asInt()).isEqualTo(3);
            assertThat(bucket.path("fullInMs").asLong()).isGreaterThan(1_000_000);
            assertThat(found.at("/strikes/threshold").asInt()).isEqualTo(5);
        }
        JsonNode all = admin.get("/v1/buckets?route=/mcp").json().path("items");
        for (int i = 1; i < all.size(); i++) {
            assertThat(all.get(i).path("fullInMs").asLong())
                    .as("the most indebted first")
                    .isLessThanOrEqualTo(all.get(i - 1).path("fullInMs").asLong());
        }
        assertThat(admin.get("/v1/buckets?limit=1").json().path("items").size()).isEqualTo(1);
        assertThat(admin.get("/v1/buckets?principal=client:nobody")
                        .json()
                        .path("items")
                        .size())
                .isZero();
    }

    @Test
    void toolsThatNoRowHasAreListedUntilTheyAreRegistered() throws Exception {
        send(K2, "stray-a", 2);
        send(K2, "stray-b", 1);
        JsonNode items = admin.get("/v1/unregistered-tools?route=/mcp").json().path("items");
        assertThat(items.get(0).path("name").asString()).isEqualTo("stray-a");
        assertThat(items.get(0).path("calls").asInt()).isEqualTo(2);
        assertThat(admin.get("/v1/unregistered-tools?route=/other")
                        .json()
                        .path("items")
                        .size())
                .isZero();
        weir.sql("INSERT INTO tool (route, name, tier) VALUES ('/mcp', 'stray-a', 'dear')");
        await().untilAsserted(() -> assertThat(admin.get("/v1/unregistered-tools?limit=1")
                        .json()
                        .at("/items/0/name")
                        .asString())
                .isEqualTo("stray-b"));
    }

    @Test
    void theStateTellsHowTheHouseIs() throws Exception {
        JsonNode state = admin.get("/v1/state").json();
        assertThat(state.path("ready").asBoolean()).isTrue();
        assertThat(state.at("/policy/inForce").asBoolean()).isTrue();
        assertThat(state.at("/database/up").asBoolean()).isTrue();
        assertThat(state.path("bansActive").asInt()).isEqualTo(1);
        assertThat(state.at("/breakers/0/state").asString()).isEqualTo("closed");
        assertThat(state.at("/memory/max").asLong()).isPositive();
        assertThat(state.at("/nodes/0/here").asBoolean()).isTrue();
        await().untilAsserted(() -> assertThat(
                        admin.get("/v1/state").json().at("/upstreams/0/target").asString())
                .startsWith("http://127.0.0.1:"));
        weir.sql("INSERT INTO setting (name, content) VALUES ('no.such', 'x')");
        await().untilAsserted(() -> assertThat(admin.get("/v1/state")
                        .json()
                        .at("/policy/problems/0/row")
                        .asString())
                .isEqualTo("no.such"));
        weir.sql("DELETE FROM setting WHERE name = 'no.such'");
        await().until(() -> admin.get("/v1/state").json().at("/policy/inForce").asBoolean());
    }
}
