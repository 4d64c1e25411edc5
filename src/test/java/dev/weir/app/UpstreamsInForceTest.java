package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.web.RequestLog;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Targets and headers of routes, by SQL and while calls are under way. */
@Timeout(60)
class UpstreamsInForceTest {

    private static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    private static final List<String> WIDE = List.of(
            "UPDATE tool_tier SET rate_per_second = 1000, burst = 1000, cooldown_seconds = 0",
            "INSERT INTO setting (name, content) VALUES ('channel.burst', '1000')");

    @TempDir
    Path directory;

    private volatile StubUpstream.Behaviour ofA = (request, line) -> line.json(200, RESULT);
    private StubUpstream a;
    private StubUpstream b;

    @BeforeEach
    void start() throws Exception {
        a = new StubUpstream((request, line) -> ofA.answer(request, line));
        b = new StubUpstream((request, line) -> line.json(200, RESULT));
    }

    @AfterEach
    void stop() throws IOException {
        a.close();
        b.close();
    }

    @Test
    void strangersAreNotToldWhereUpstreamsAre() throws Exception {
        try (RunningWeir weir = RunningWeir.startWith(WIDE, directory, a.base());
                Wire stranger = weir.wire()) {
            ofA = (request, line) -> line.json(500, RESULT);
            for (int n = 0; n < 3; n++) {
                assertThat(status(weir, RunningWeir.K1)).isEqualTo(500);
            }
            String address = a.base().getAuthority();
            assertThat(weir.probe("/health")).contains(address).contains("is down");
            stranger.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n");
            Wire.Answer answer = stranger.answer();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body())
                    .doesNotContain(address)
                    .contains("a target of [/mcp] is down")
                    .contains("\"upstreams\":{\"/mcp\":{\"up\":0,\"down\":1}}");
        }
    }

    private static int status(RunningWeir weir, String key, String... headers) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(post(key, call(1, "T1"), headers));
            return wire.answer().status();
        }
    }

    private String target(String set) {
        return "INSERT INTO route_target (route, url, enabled) VALUES ('/mcp', '" + b.base() + "', " + set + ")";
    }

    @Test
    void aStreamGoesOnWhileItsTargetIsTakenAwayAndNewCallsGoElsewhere() throws Exception {
        CountDownLatch more = new CountDownLatch(1);
        ofA = (request, line) -> {
            line.head("text/event-stream");
            line.chunk("data: 1\n\n");
            more.await();
            line.chunk("data: 2\n\n");
            line.send("0\r\n\r\n");
        };
        try (RunningWeir weir = RunningWeir.startWith(WIDE, directory, a.base());
                Wire stream = weir.wire()) {
            stream.send(post(K1, call(1, "T1")));
            assertThat(stream.head().status()).isEqualTo(200);
            assertThat(stream.textChunk()).isEqualTo("data: 1\n\n");
            weir.sql(target("TRUE"));
            await().until(() -> weir.probe("/health").contains(b.base().toString()));
            weir.sql("DELETE FROM route_target");
            await().until(() -> !weir.probe("/health").contains(b.base().toString()));
            weir.sql("UPDATE route SET connect_timeout_ms = 2500, upstream_url = '" + b.base() + "'");
            await().until(() -> !weir.probe("/health").contains(a.base().toString()));
            assertThat(status(weir, K1)).isEqualTo(200);
            assertThat(b.received()).hasSize(1);
            more.countDown();
            assertThat(stream.textChunk()).isEqualTo("data: 2\n\n");
            assertThat(stream.chunk()).isEmpty();
        }
    }

    @Test
    void aDeadTargetIsToldOfAndTheOtherTakesItsCalls() throws Exception {
        int port = a.base().getPort();
        String gauge = "weir_upstream_up{route=\"/mcp\",target=\"" + a.base() + "\"}";
        List<String> edits = List.of(
                WIDE.get(0),
                WIDE.get(1),
                target("TRUE"),
                "UPDATE route SET health_check = 'http', health_check_path = '/up', health_check_seconds = 1");
        try (RunningWeir weir = RunningWeir.startWith(edits, directory, a.base())) {
            await().until(() ->
                    a.received().stream().anyMatch(asked -> asked.requestLine().contains("/up")));
            assertThat(Scrape.of(weir).value(gauge)).isEqualTo(1);
            a.close();
            await().until(() -> weir.probe("/health").contains("\"state\":\"down\""));
            String health = weir.probe("/health");
            assertThat(health)
                    .startsWith("200 ")
                    .contains("degraded", "the target [http://127.0.0.1:" + port + "/mcp] of [/mcp] is down")
                    .contains("check: java.net.ConnectException");
            assertThat(weir.probe("/ready")).startsWith("200 ");
            assertThat(Scrape.of(weir).value(gauge)).isZero();
            for (String key : List.of(K1, K2)) {
                assertThat(status(weir, key)).isEqualTo(200);
            }
        }
    }

    @Test
    void theHeadersOfARouteTakeThePlaceOfTheClientsAndNobodySeesTheirSecrets() throws Exception {
        try (LogLines log = new LogLines(PolicyKeeper.class, RequestLog.class);
                RunningWeir weir = RunningWeir.startWith(
                        WIDE, directory, a.base(), "mcp.secrets.BILLING_token", "s3cret-of-billing")) {
            weir.sql("INSERT INTO route_header (route, name, content) VALUES"
                    + " ('/mcp', 'Authorization', 'Bearer ${secret.billing-token}'), ('/mcp', 'X-Team', 'agents')");
            await().until(() -> {
                assertThat(status(weir, K1, "X-Team: mine\r\nX_Team: mine\r\nX-Other: mine\r\n"))
                        .isEqualTo(200);
                return last().values("X-Team").contains("agents");
            });
            assertThat(last().values("Authorization")).containsExactly("Bearer s3cret-of-billing");
            assertThat(last().values("X-Team")).containsExactly("agents");
            assertThat(last().values("X_Team")).isEmpty();
            assertThat(last().values("X-Other")).containsExactly("mine");
            weir.sql("INSERT INTO route_header (route, name, content) VALUES ('/mcp', 'X-None', '${secret.none}')");
            await().until(() -> weir.probe("/health").contains("route_header"));
            assertThat(weir.probe("/health"))
                    .contains("table route_header, row [/mcp X-None]", "there is no setting mcp.secrets.none");
            assertThat(status(weir, K1)).as("the last good policy").isEqualTo(200);
            List<Map<String, Object>> events = weir.database()
                    .withHandle(handle -> handle.createQuery("SELECT * FROM admin_event")
                            .mapToMap()
                            .list());
            assertThat(weir.probe("/health") + log.all() + events).doesNotContain("s3cret-of-billing");
        }
    }

    private StubUpstream.Received last() {
        return a.received().get(a.received().size() - 1);
    }
}
