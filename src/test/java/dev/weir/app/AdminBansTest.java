package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Banning and lifting over the admin API, and what it shows of bans, on real sockets. */
class AdminBansTest {

    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    private static final String BANS = "/v1/bans";

    @TempDir
    static Path dir;

    private static StubUpstream upstream;
    private static RunningWeir weir;
    private static AdminClient operator;
    private static AdminClient viewer;

    @BeforeAll
    static void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + PONG.length() + "\r\n\r\n" + PONG));
        weir = RunningWeir.startWith(
                List.of(
                        client("olaf", "operator", false),
                        client("eve", "viewer", false),
                        client("vip", "agent", true)),
                dir,
                upstream.base(),
                "mcp.admin.token",
                AdminClient.TOKEN);
        operator = new AdminClient(weir, "key-of-olaf");
        viewer = new AdminClient(weir, "key-of-eve");
        weir.sql("INSERT INTO client_key (client, sha256) VALUES ('olaf', '" + ApiKey.digest("key-of-olaf")
                + "'), ('eve', '" + ApiKey.digest("key-of-eve") + "'), ('vip', '" + ApiKey.digest("key-of-vip") + "')");
        await().until(() -> viewer.get(BANS).status() == 200);
    }

    @AfterAll
    static void stop() throws Exception {
        weir.close();
        upstream.close();
    }

    private static String client(String id, String role, boolean exempt) {
        return "INSERT INTO client (id, name, role, exempt) VALUES ('" + id + "', '" + id + "', '" + role + "', "
                + exempt + ")";
    }

    private static String asked(String principal, String more) {
        return "{\"principal\":\"" + principal + "\",\"duration_seconds\":600,\"reason\":\"it looped\"" + more + "}";
    }

    private static String lift(JsonNode ban) {
        return BANS + "/" + ban.path("id").asString() + "/lift";
    }

    /** How a call of a client is answered. */
    private static String call(String key) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(key, RunningWeir.call(1, "T2")));
            return wire.answer().body();
        }
    }

    private static JsonNode banned(String principal) throws Exception {
        AdminClient.Reply reply = operator.ask("POST", BANS, asked(principal, ""));
        assertThat(reply.status()).as(reply.body()).isEqualTo(201);
        return reply.json();
    }

    @Test
    void aBanByHandHoldsWhenItIsAnsweredAndIsTheOperators() throws Exception {
        assertThat(call(K1)).isEqualTo(PONG);
        Instant before = Instant.now();
        AdminClient.Reply reply = operator.ask("POST", BANS, asked("client:c1", ",\"scope\":\"all\""));
        assertThat(reply.status()).isEqualTo(201);
        assertThat(call(K1)).contains("it looped");
        assertThat(call(K2)).isEqualTo(PONG);
        JsonNode ban = reply.json();
        assertThat(ban.path("recorded").asBoolean()).isTrue();
        assertThat(ban.has("note")).isFalse();
        assertThat(ban.path("scope").asString()).isEqualTo("all");
        assertThat(ban.path("banned_by").asString()).isEqualTo("client:olaf");
        assertThat(ban.path("state").asString()).isEqualTo("active");
        assertThat(ban.path("secondsLeft").asLong()).isBetween(500L, 600L);
        assertThat(Duration.between(before, Instant.parse(ban.path("expires_at").asString())))
                .isBetween(Duration.ofSeconds(599), Duration.ofSeconds(660));
        assertThat(reply.header("Location"))
                .isEqualTo("/admin/api" + ban.path("self").asString());
        JsonNode lifted = operator.ask("POST", lift(ban), "{\"reason\":\"talked to them\"}")
                .json();
        assertThat(call(K1)).isEqualTo(PONG);
        assertThat(lifted.path("state").asString()).isEqualTo("lifted");
        assertThat(lifted.path("lifted_by").asString()).isEqualTo("client:olaf");
        assertThat(lifted.path("lift_reason").asString()).isEqualTo("talked to them");
        assertThat(lifted.path("secondsLeft").asLong()).isZero();
        JsonNode events = viewer.get(
                        "/v1/events?table=ban&row=" + ban.path("id").asString())
                .json()
                .path("items");
        assertThat(events).hasSize(2);
        assertThat(events)
                .allSatisfy(
                        event -> assertThat(event.path("changed_by").asString()).isEqualTo("client:olaf"));
        assertThat(events.get(0).path("after").path("lift_reason").asString()).isEqualTo("talked to them");
    }

    @Test
    void whoOnlyLooksNeitherBansNorLifts() throws Exception {
        JsonNode ban = banned("client:looked-at");
        assertThat(viewer.ask("POST", BANS, asked("client:c2", "")).status()).isEqualTo(403);
        assertThat(viewer.ask("POST", lift(ban), "{\"reason\":\"x\"}").status()).isEqualTo(403);
        assertThat(call(K2)).isEqualTo(PONG);
        AdminClient.Reply shown = viewer.get(ban.path("self").asString());
        assertThat(shown.json().path("state").asString()).isEqualTo("active");
        assertThat(shown.json().path("evidence")).isEmpty();
        assertThat(viewer.get(BANS + "/export").status()).isEqualTo(200);
    }

    @Test
    void aBanIsLiftedOnceAndNotAfterItsEnd() throws Exception {
        JsonNode ban = banned("client:once");
        assertThat(operator.ask("POST", lift(ban), "{\"reason\":\"x\"}").status())
                .isEqualTo(200);
        AdminClient.Reply again = operator.ask("POST", lift(ban), "{\"reason\":\"y\"}");
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().path("code").asString()).isEqualTo("lifted");
        assertThat(again.json().path("detail").asString()).contains("client:olaf");
        weir.sql(
                "INSERT INTO ban (id, principal, started_at, expires_at) VALUES ('long-over', 'client:x',"
                        + " TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-02 00:00:00+00')");
        AdminClient.Reply over = operator.ask("POST", BANS + "/long-over/lift", "{\"reason\":\"x\"}");
        assertThat(over.status()).isEqualTo(409);
        assertThat(over.json().path("code").asString()).isEqualTo("ended");
        assertThat(operator.ask("POST", BANS + "/nobody/lift", "{\"reason\":\"x\"}")
                        .status())
                .isEqualTo(404);
        assertThat(viewer.get(BANS + "/nobody").status()).isEqualTo(404);
        assertThat(viewer.get(BANS + "/~AAAA").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            bob                            | principal
            bob:x                          | principal
            client:                        | principal
            key:12                         | principal
            key:0123456789ABCDEF           | principal
            agent:127.0.0.1                | principal
            agent:somewhere 0123456789abcdef | principal
            address:here                   | principal
            address:300.1.1.1              | principal
            client:a\\u0000b               | principal
            """)
    void whoCanBeNobodyIsNotBanned(String principal, String field) throws Exception {
        AdminClient.Reply reply = operator.ask("POST", BANS, asked(principal, ""));
        assertThat(reply.status()).as(reply.body()).isEqualTo(422);
        assertThat(reply.json().at("/errors/0/field").asString()).isEqualTo(field);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"principal":"client:a","duration_seconds":0,"reason":"x"}              | duration_seconds
            {"principal":"client:a","duration_seconds":-1,"reason":"x"}             | duration_seconds
            {"principal":"client:a","duration_seconds":315360001,"reason":"x"}      | duration_seconds
            {"principal":"client:a","duration_seconds":1.5,"reason":"x"}            | duration_seconds
            {"principal":"client:a","duration_seconds":"60","reason":"x"}           | duration_seconds
            {"principal":"client:a","reason":"x"}                                   | duration_seconds
            {"principal":"client:a","duration_seconds":60,"reason":" "}             | reason
            {"principal":"client:a","duration_seconds":60}                          | reason
            {"principal":"client:a","duration_seconds":60,"reason":"x","scope":"w"} | scope
            {"principal":"client:a","duration_seconds":60,"reason":"x","more":1}    | more
            {"duration_seconds":60,"reason":"x"}                                    | principal
            """)
    void whatCannotBeABanIsToldByItsFields(String body, String field) throws Exception {
        AdminClient.Reply reply = operator.ask("POST", BANS, body);
        assertThat(reply.status()).as(reply.body()).isEqualTo(422);
        assertThat(reply.json().at("/errors/0/field").asString()).isEqualTo(field);
    }

    @Test
    void aBanThatStopsNobodyNowSaysSo() throws Exception {
        assertThat(banned("client:vip").path("note").asString()).contains("exempt");
        assertThat(call("key-of-vip")).isEqualTo(PONG);
        assertThat(banned("key:" + ApiKey.digest("key-of-vip").substring(0, 16))
                        .path("note")
                        .asString())
                .contains("exempt");
        assertThat(banned("client:nobody").path("note").asString()).contains("no client [nobody]");
        assertThat(banned("key:0123456789abcdef").path("note").asString()).contains("no key");
        assertThat(banned("key:" + ApiKey.digest(K2).substring(0, 16)).has("note"))
                .isFalse();
        assertThat(banned("user:ann").has("note")).isFalse();
        assertThat(banned("agent:192.0.2.1 0123456789abcdef").has("note")).isFalse();
    }

    @Test
    void anAddressIsBannedAsWhatItCountsAs() throws Exception {
        JsonNode ban = banned("address:2001:DB8::5");
        assertThat(ban.path("principal").asString()).isEqualTo("address:2001:db8:0:0::/64");
        assertThat(ban.path("note").asString()).contains("2001:db8:0:0::/64");
        assertThat(banned("address:2001:db8:0:0::/64").has("note")).isFalse();
        assertThat(banned("address:192.0.2.7").has("note")).isFalse();
    }

    @Test
    void theListIsAskedByStateAndByWhom() throws Exception {
        String who = "user:listed";
        JsonNode first = banned(who);
        JsonNode second = banned(who);
        operator.ask("POST", lift(first), "{\"reason\":\"x\"}");
        weir.sql(
                "INSERT INTO ban (id, principal, route, tool, started_at, expires_at) VALUES ('past', '" + who
                        + "', '/mcp', 'T9', TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00', TIMESTAMP WITH TIME ZONE '2020-01-02 00:00:00+00')");
        assertThat(ids("principal=" + who)).containsExactly(id(second), id(first), "past");
        assertThat(ids("state=all&principal=" + who)).hasSize(3);
        assertThat(ids("state=active&principal=" + who)).containsExactly(id(second));
        assertThat(ids("state=lifted&principal=" + who)).containsExactly(id(first));
        assertThat(ids("state=ended&principal=" + who)).containsExactly("past");
        assertThat(ids("tool=T9&route=/mcp")).containsExactly("past");
        assertThat(ids("principal=" + who + "&until=2020-01-01T00:00:01Z")).containsExactly("past");
        assertThat(ids("principal=" + who + "&until=2020-01-01T00:00:00Z")).isEmpty();
        assertThat(ids("principal=" + who + "&from=2020-01-01T00:00:01%2B00:00"))
                .hasSize(2);
        assertThat(ids("principal=nobody%00")).isEmpty();
        for (String wrong : List.of("state=odd", "from=yesterday", "limit=0", "limit=501", "after=x", "after=eA")) {
            assertThat(viewer.get(BANS + "?" + wrong).status()).as(wrong).isEqualTo(400);
        }
    }

    private static String id(JsonNode ban) {
        return ban.path("id").asString();
    }

    private static List<String> ids(String query) throws Exception {
        AdminClient.Reply reply = viewer.get(BANS + "?" + query);
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        return reply.json().path("items").valueStream().map(AdminBansTest::id).toList();
    }
}
