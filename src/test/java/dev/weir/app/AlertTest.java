package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.wire.BareServer;
import dev.weir.wire.HookReceiver;
import dev.weir.wire.HookReceiver.Received;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A whole Weir tells of what happens to it. */
@Timeout(120)
class AlertTest {

    private static final String SECRET = "canary-of-the-secret";
    private static final String PATH = "/canary-of-the-path?token=canary-of-the-query";
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    private StubUpstream upstream;
    private HookReceiver receiver;
    private volatile boolean failing;

    @BeforeEach
    void listen() throws IOException {
        receiver = HookReceiver.good();
        upstream = new StubUpstream(
                (request, line) -> line.json(failing ? 500 : 200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
    }

    @AfterEach
    void close() throws IOException {
        receiver.close();
        upstream.close();
    }

    private RunningWeir weir(String... more) throws Exception {
        List<String> settings = new ArrayList<>(
                List.of("mcp.alert.webhook-url", receiver.url(PATH), "mcp.alert.webhook-secret", SECRET));
        settings.addAll(List.of(more));
        return RunningWeir.startWith(
                List.of("UPDATE route SET breaker_failures = 3, breaker_open_seconds = 1"),
                directory,
                upstream.base(),
                settings.toArray(String[]::new));
    }

    private List<JsonNode> told(String event) {
        return receiver.received().stream()
                .filter(each -> each.header("X-Weir-Event").equals(event))
                .map(each -> JSON.readTree(each.body()))
                .collect(Collectors.toList());
    }

    /** All that was told, in its order; but for what a machine that stands still for seconds may add. */
    private List<String> toldOfAllBut(String... events) {
        return receiver.received().stream()
                .map(each -> each.header("X-Weir-Event"))
                .filter(each -> !List.of(events).contains(each))
                .toList();
    }

    private JsonNode awaitTold(String event) {
        await(event).atMost(PATIENCE).until(() -> !told(event).isEmpty());
        return told(event).get(0);
    }

    /** Calls until the caller is banned. */
    private static void storm(RunningWeir weir) throws IOException {
        try (Wire wire = weir.wire()) {
            String answer = "";
            while (!answer.contains("\"reason\":\"banned\"")) {
                wire.send(post(K1, call(1, "T1")));
                answer = wire.answer().body();
            }
        }
    }

    private static void ask(RunningWeir weir, int times) throws IOException {
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < times; i++) {
                wire.send(post(RunningWeir.K2, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"));
                wire.answer();
            }
        }
    }

    private static void assertSigned(Received received) throws Exception {
        String[] parts = received.header("X-Weir-Signature").split("t=|,v1=", -1);
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        byte[] code = mac.doFinal((parts[1] + "." + received.body()).getBytes(StandardCharsets.UTF_8));
        assertThat(parts[2]).isEqualTo(HexFormat.of().formatHex(code));
        assertThat(Instant.ofEpochSecond(Long.parseLong(parts[1])))
                .isBetween(Instant.now().minusSeconds(120), Instant.now().plusSeconds(1));
    }

    @Test
    void eachThingIsToldOnceAndSignedThoughAnotherReceiverHangs() throws Exception {
        HookReceiver[] self = new HookReceiver[1];
        try (HookReceiver hanging = new HookReceiver(number -> self[0].silence());
                RunningWeir weir = weir(
                        "mcp.alert.targets.hanging.url",
                        hanging.url("/"),
                        "mcp.alert.targets.hanging.format",
                        "slack")) {
            self[0] = hanging;
            storm(weir);
            await().atMost(PATIENCE).until(() -> !hanging.received().isEmpty());
            JsonNode ban = awaitTold("banned");
            String id = weir.database()
                    .withHandle(handle -> handle.select("SELECT id FROM ban")
                            .mapTo(String.class)
                            .one());
            assertThat(ban.path("fields").path("ban_id").asString()).isEqualTo(id);
            assertThat(ban.path("fields").path("principal").asString()).contains("c1");
            assertThat(ban.path("fields").path("tool").asString()).isEqualTo("T1");
            assertThat(ban.path("fields").path("strikes").asInt()).isEqualTo(6);

            weir.sql("INSERT INTO setting (name, content) VALUES ('ban.threshold', 'many')");
            assertThat(awaitTold("policy_rejected")
                            .path("fields")
                            .path("problems")
                            .get(0)
                            .asString())
                    .contains("setting", "ban.threshold");
            weir.sql("DELETE FROM setting");
            awaitTold("policy_accepted");

            long begun = System.nanoTime();
            ask(weir, 50);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(9));

            failing = true;
            ask(weir, 4);
            JsonNode opened = awaitTold("breaker_opened");
            assertThat(opened.path("fields").path("route").asString()).isEqualTo("/mcp");
            assertThat(opened.path("fields").path("why").asString()).contains("500");
            failing = false;
            await().atMost(PATIENCE).until(() -> {
                ask(weir, 1);
                return !told("breaker_closed").isEmpty();
            });

            for (Received each : receiver.received()) {
                assertSigned(each);
            }
            assertThat(toldOfAllBut("database_away", "database_back"))
                    .containsExactly(
                            "banned", "policy_rejected", "policy_accepted", "breaker_opened", "breaker_closed");
            await().untilAsserted(() -> assertThat(
                            Scrape.of(weir).value("weir_alerts_total{outcome=\"delivered\",target=\"webhook\"}"))
                    .isEqualTo(receiver.received().size()));
            assertThat(Scrape.of(weir).value("weir_alert_queue_length{target=\"webhook\"}"))
                    .isZero();
            assertThat(Scrape.of(weir).value("weir_alert_queue_length{target=\"hanging\"}"))
                    .isPositive();
            assertThat(weir.probe("/health")).contains("\"alerts\":{\"webhook\":\"ok\",\"hanging\":");
        }
    }

    @Test
    void aBanOfAnOperatorIsNobodysAlertAndTheEndOfOursIsToldToWhoeverAsksForIt() throws Exception {
        try (HookReceiver ends = HookReceiver.good();
                RunningWeir weir = weir(
                        "mcp.alert.targets.ends.url", ends.url("/"), "mcp.alert.targets.ends.events", "unbanned")) {
            weir.sql(
                    "INSERT INTO ban (id, principal, scope, reason, started_at, expires_at) VALUES ('op', 'client:c2', 'tools',"
                            + " 'by hand', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP + INTERVAL '1' HOUR)");
            await().atMost(PATIENCE).until(() -> Scrape.of(weir).value("weir_bans_active") == 1);
            storm(weir);
            awaitTold("banned");
            weir.sql("UPDATE ban SET lifted_at = CURRENT_TIMESTAMP");
            await().atMost(PATIENCE).until(() -> Scrape.of(weir).value("weir_bans_active") == 0);
            await().atMost(PATIENCE).until(() -> ends.received().size() == 1);
            assertThat(ends.received().get(0).body()).contains("\"how\":\"lifted\"", "\"tool\":\"T1\"");
            assertThat(told("banned")).hasSize(1);
            assertThat(told("unbanned")).isEmpty();
        }
    }

    @Test
    void aDatabaseThatIsAwayIsToldAndSoIsItsReturnWhileRequestsGoOn() throws Exception {
        List<Handle> held = new ArrayList<>();
        try (RunningWeir weir = weir()) {
            assertThatThrownBy(() -> {
                        while (held.size() < 100) {
                            held.add(weir.database().open());
                        }
                    })
                    .hasStackTraceContaining("Connection is not available");
            JsonNode away = awaitTold("database_away");
            assertThat(away.path("severity").asString()).isEqualTo("critical");
            assertThat(away.path("fields").path("reason").asString()).isNotEmpty();
            ask(weir, 1);
            held.forEach(Handle::close);
            assertThat(awaitTold("database_back")
                            .path("fields")
                            .path("away_seconds")
                            .asInt())
                    .isPositive();
            assertThat(toldOfAllBut()).containsExactly("database_away", "database_back");
        }
    }

    @Test
    void neitherAddressNorSecretIsShownWhateverGoesWrong() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger("dev.weir");
        Level before = root.getLevel();
        root.setLevel(Level.TRACE);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        root.addAppender(lines);
        try (BareServer plain = new BareServer(AlertTest::sayNoTls);
                HookReceiver bad = new HookReceiver(number -> HookReceiver.status(400, "no canary: " + PATH + SECRET));
                RunningWeir weir = weir(
                        "mcp.alert.targets.a.url",
                        bad.url(PATH),
                        "mcp.alert.targets.a.secret",
                        SECRET,
                        "mcp.alert.targets.b.url",
                        "http://canary-of-the-host.invalid" + PATH,
                        "mcp.alert.targets.c.url",
                        "http://127.0.0.1:1" + PATH,
                        "mcp.alert.targets.d.url",
                        plain.url().toString().replace("http:", "https:") + PATH,
                        "mcp.alert.targets.e.url",
                        bad.url(PATH),
                        "mcp.alert.targets.e.format",
                        "dingtalk",
                        "mcp.alert.targets.e.secret",
                        SECRET)) {
            storm(weir);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(weir.probe("/health"))
                            .contains(
                                    "\"webhook\":\"ok\"",
                                    "\"a\":\"answered 400\"",
                                    "\"b\":\"there is no host of this name\"",
                                    "\"c\":\"there is nobody who listens\"",
                                    "\"d\":\"TLS failed",
                                    "\"e\":\"answered 400\"",
                                    "a receiver of alerts does not take them"));
            assertThat(lines.list.stream().map(AlertTest::text).collect(Collectors.joining("\n")))
                    .contains("alert_failed", "alert_delivered")
                    .doesNotContain("canary");
            assertThat(weir.probe("/health") + Scrape.of(weir).answer().body()).doesNotContain("canary");
        } finally {
            root.detachAppender(lines);
            root.setLevel(before);
        }
    }

    private static void sayNoTls(Socket socket) {
        try (socket) {
            socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(ILoggingEvent line) {
        return line.getFormattedMessage()
                + line.getKeyValuePairs()
                + (line.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(line.getThrowableProxy()));
    }
}
