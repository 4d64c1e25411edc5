package dev.weir.app;

import static dev.weir.app.AdminClient.TOKEN;
import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.ApiKey;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Live numbers of one node, with real calls and real streams of events. */
@Timeout(120)
class LiveTest {

    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

    @TempDir
    static Path directory;

    private static StubUpstream upstream;
    private static RunningWeir weir;

    @BeforeAll
    static void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + PONG.length() + "\r\n\r\n" + PONG));
        weir = RunningWeir.start(directory, upstream.base(), "mcp.admin.token", TOKEN);
    }

    @AfterAll
    static void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    private static EventReader watch() throws IOException {
        return new EventReader(weir, EventReader.token(TOKEN));
    }

    @Test
    void thePastComesFirstAndThenThePresentAtLeastOnceASecond() throws Exception {
        try (EventReader reader = watch()) {
            assertThat(reader.head().status()).isEqualTo(200);
            assertThat(reader.head().values("Content-Type").get(0)).startsWith("text/event-stream");
            EventReader.Event first = reader.next();
            assertThat(first.kind()).isEqualTo("past");
            assertThat(first.data().path("seconds").size()).isLessThanOrEqualTo(300);
            EventReader.Event before = reader.next();
            for (int i = 0; i < 5; i++) {
                EventReader.Event event = reader.next();
                assertThat(event.kind()).isEqualTo("live");
                assertThat(at(event)).isAfter(at(before));
                before = event;
            }
            JsonNode node = before.data().path("nodes").get(0);
            assertThat(node.path("here").asBoolean()).isTrue();
            assertThat(node.path("policyOk").asBoolean()).isTrue();
            assertThat(node.path("databaseUp").asBoolean()).isTrue();
            assertThat(node.path("id").asString()).startsWith(node.path("node").asString() + "#");
        }
    }

    private static Instant at(EventReader.Event event) {
        return Instant.parse(event.data().path("at").asString());
    }

    @Test
    void aCallIsSeenWithinASecondWithWhoCalledWhat() throws Exception {
        try (EventReader reader = watch();
                Wire wire = weir.wire()) {
            reader.next();
            wire.send(post(K1, call(1, "seen")));
            assertThat(wire.answer().status()).isEqualTo(200);
            Instant called = Instant.now();
            EventReader.Event event = reader.next();
            while (find(event.data().path("tools"), "tool", "seen").isMissingNode()) {
                event = reader.next();
            }
            // The machine may stand still between a beat and the reading of it, and so the event's own time counts.
            assertThat(Duration.between(called, at(event))).isLessThan(Duration.ofSeconds(1));
            assertThat(find(event.data().path("principals"), "principal", "client:c1")
                            .path("calls")
                            .asDouble())
                    .isPositive();
            JsonNode node = event.data().path("nodes").get(0);
            assertThat(node.path("requests").asDouble()).isPositive();
            assertThat(node.path("admitted").asDouble()).isPositive();
        }
    }

    @Test
    void throttledCallsAreSeenInThePastToo() throws Exception {
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < 8; i++) {
                wire.send(post(K1, call(i, "T1")));
                wire.answer();
            }
        }
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            try (EventReader reader = watch()) {
                long throttled = 0;
                for (JsonNode second : reader.next().data().path("seconds")) {
                    throttled += second.path("throttled").asLong();
                }
                assertThat(throttled).isPositive();
            }
        });
    }

    private static JsonNode find(JsonNode items, String member, String value) {
        for (JsonNode item : items) {
            if (item.path(member).asString().equals(value)) {
                return item;
            }
        }
        return items.path("none");
    }

    @Test
    void onlySoManyMayWatchAtOnce() throws Exception {
        List<EventReader> readers = new ArrayList<>();
        try {
            int refused = 0;
            for (int i = 0; i < 60; i++) {
                EventReader reader = watch();
                readers.add(reader);
                refused += reader.head().status() == 503 ? 1 : 0;
            }
            assertThat(refused).isGreaterThanOrEqualTo(10);
            assertThat(readers.get(59).head().values("Retry-After")).isNotEmpty();
        } finally {
            for (EventReader reader : readers) {
                reader.close();
            }
        }
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            try (EventReader reader = watch()) {
                assertThat(reader.head().status()).isEqualTo(200);
            }
        });
    }

    @Test
    void whoReadsNothingHoldsUpNobody() throws Exception {
        List<EventReader> lazy = new ArrayList<>();
        try (EventReader reader = watch()) {
            for (int i = 0; i < 10; i++) {
                // They read the head only.
                lazy.add(watch());
            }
            Instant last = at(skipPast(reader));
            for (int i = 0; i < 20; i++) {
                last = at(reader.next());
            }
            assertThat(last).isAfter(Instant.now().minusSeconds(30));
            assertThat(new AdminClient(weir).get("/v1/state").status()).isEqualTo(200);
        } finally {
            for (EventReader reader : lazy) {
                reader.close();
            }
        }
    }

    private static EventReader.Event skipPast(EventReader reader) throws IOException {
        reader.next();
        return reader.next();
    }

    @Test
    void aStreamEndsWithItsSession() throws Exception {
        AdminClient admin = new AdminClient(weir);
        AdminClient.Reply login = admin.ask("POST", "/v1/session", null);
        String cookie = login.header("Set-Cookie").split(";", 2)[0];
        String csrf = login.json().path("csrf").asString();
        try (EventReader reader = new EventReader(weir, "Cookie: " + cookie + "\r\n")) {
            assertThat(reader.next().kind()).isEqualTo("past");
            AdminClient nobody = new AdminClient(weir, "");
            assertThat(nobody.ask("DELETE", "/v1/session", null, "Cookie", cookie, "X-CSRF-Token", csrf)
                            .status())
                    .isEqualTo(204);
            reader.toTheEnd();
        }
    }

    @Test
    void aStreamEndsWithTheKeyThatOpenedIt() throws Exception {
        weir.sql("INSERT INTO client (id, name, role) VALUES ('eve', 'Eve', 'viewer')");
        weir.sql("INSERT INTO client_key (client, sha256) VALUES ('eve', '" + ApiKey.digest("eves-key") + "')");
        AdminClient eve = new AdminClient(weir, "eves-key");
        await().atMost(Duration.ofSeconds(20)).until(() -> eve.get("/v1/state").status() == 200);
        try (EventReader reader = new EventReader(weir, EventReader.token("eves-key"))) {
            assertThat(reader.next().kind()).isEqualTo("past");
            weir.sql("UPDATE client_key SET revoked_at = CURRENT_TIMESTAMP WHERE client = 'eve'");
            reader.toTheEnd();
        }
    }

    @Test
    void nobodyWatchesWithoutAToken() throws Exception {
        try (EventReader reader = new EventReader(weir, "")) {
            assertThat(reader.head().status()).isEqualTo(401);
        }
    }
}
