package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.store.DatabaseSettings;
import dev.weir.store.PostgresServer;
import dev.weir.store.TcpRelay;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Bans over the API of one node hold on the others, and over that of a node whose database is away they hold on it. */
@Timeout(120)
class AdminBansOnNodesTest {

    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    private static final String LIFT = "{\"reason\":\"mended\"}";

    @TempDir
    Path directory;

    private static RunningWeir node(DatabaseSettings settings, int port, Object upstream) throws Exception {
        DatabaseSettings through = PostgresServer.settings(settings.user(), port, settings.dataDir());
        RunningWeir node = RunningWeir.startWith(
                List.of(),
                settings.dataDir(),
                upstream,
                "mcp.db.url",
                through.url(),
                "mcp.db.user",
                through.user(),
                "mcp.db.password",
                String.valueOf(through.password()),
                "mcp.admin.token",
                AdminClient.TOKEN);
        await().until(() -> node.probe("/health").contains("\"change_listener\":\"listening\""));
        return node;
    }

    private static AdminClient.Reply ban(RunningWeir node, String principal) throws Exception {
        return new AdminClient(node)
                .ask(
                        "POST",
                        "/v1/bans",
                        "{\"principal\":\"" + principal + "\",\"duration_seconds\":600,\"reason\":\"it looped\"}");
    }

    private static String answer(RunningWeir node, String key) throws Exception {
        try (Wire wire = node.wire()) {
            wire.send(post(key, call(1, "T2")));
            return wire.answer().body();
        }
    }

    private static List<String> writtenDown(RunningWeir node, JsonNode ban) {
        return node.database()
                .withHandle(handle -> handle.createQuery("SELECT changed_by || ' ' || action FROM admin_event"
                                + " WHERE row_name = ? AND table_name = 'ban' ORDER BY id")
                        .bind(0, ban.path("id").asString())
                        .mapTo(String.class)
                        .list());
    }

    @Test
    void bansAndLiftsHoldEverywhereAndAlsoWhileTheDatabaseIsAway() throws Exception {
        DatabaseSettings settings = PostgresServer.running().fresh(directory);
        try (StubUpstream upstream = new StubUpstream(
                        (request, line) -> line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                + "Content-Length: " + PONG.length() + "\r\n\r\n" + PONG));
                TcpRelay relay = new TcpRelay(PostgresServer.running().port());
                RunningWeir one = node(settings, PostgresServer.running().port(), upstream.base());
                RunningWeir other = node(settings, relay.port(), upstream.base())) {
            JsonNode ban = ban(one, "client:c1").json();
            assertThat(answer(one, K1)).contains("it looped");
            await().atMost(Duration.ofSeconds(1)).until(() -> answer(other, K1).contains("it looped"));
            assertThat(lift(other, ban).status()).isEqualTo(200);
            assertThat(answer(other, K1)).isEqualTo(PONG);
            await().atMost(Duration.ofSeconds(1)).until(() -> answer(one, K1).equals(PONG));
            assertThat(lift(one, ban).status()).isEqualTo(409);
            assertThat(writtenDown(one, ban)).containsExactly("admin insert", "admin update");

            relay.away();
            AdminClient.Reply unwritten = ban(other, "client:c2");
            assertThat(unwritten.status()).isEqualTo(202);
            assertThat(unwritten.json().path("recorded").asBoolean()).isFalse();
            assertThat(answer(other, K2)).contains("it looped");
            AdminClient.Reply lifted = lift(other, unwritten.json());
            assertThat(lifted.status()).isEqualTo(202);
            assertThat(lifted.json().path("state").asString()).isEqualTo("lifted");
            assertThat(answer(other, K2)).isEqualTo(PONG);
            assertThat(lift(other, ban).status()).isEqualTo(503);
            assertThat(new AdminClient(other).get("/v1/bans").status()).isEqualTo(503);
            assertThat(new AdminClient(other).get("/v1/throttles/export").status())
                    .isEqualTo(503);
            relay.back();
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(writtenDown(one, unwritten.json()))
                            .containsExactly("admin insert", "admin update"));
        }
    }

    private static AdminClient.Reply lift(RunningWeir node, JsonNode ban) throws Exception {
        return new AdminClient(node).ask("POST", "/v1/bans/" + ban.path("id").asString() + "/lift", LIFT);
    }
}
