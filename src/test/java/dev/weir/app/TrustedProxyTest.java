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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Cases O47 and O54 behind a proxy whose word is taken: this test is the proxy, and says for whom it sends. */
@Timeout(60)
class TrustedProxyTest {

    private static final String SLOW_T1 =
            "UPDATE tool_tier SET rate_per_second = 0.001, cooldown_seconds = 0 WHERE name = 'heavy'";

    @TempDir
    Path directory;

    private StubUpstream upstream;

    @BeforeEach
    void start() throws IOException {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
    }

    @AfterEach
    void stop() throws IOException {
        upstream.close();
    }

    private RunningWeir weir(String... settings) throws Exception {
        String[] all = new String[settings.length + 2];
        all[0] = "mcp.trusted-proxies";
        all[1] = "127.0.0.1,10.0.0.0/8";
        System.arraycopy(settings, 0, all, 2, settings.length);
        return RunningWeir.startWith(List.of(SLOW_T1), directory, upstream.base(), all);
    }

    private static String from(String address) {
        return "X-Forwarded-For: " + address + "\r\n";
    }

    /** Sends one call of T1; without a key, as nobody. */
    private static Wire.Answer ask(Wire wire, String key, String... headers) throws IOException {
        String request = post(key, call(1, "T1"), headers);
        wire.send(key.isEmpty() ? request.replace("Authorization: Bearer \r\n", "") : request);
        return wire.answer();
    }

    private static void assertServed(Wire wire, String key, String... headers) throws IOException {
        Wire.Answer answer = ask(wire, key, headers);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).contains("\"result\"");
    }

    private static List<String> principals(RunningWeir weir, String table) {
        return weir.database()
                .withHandle(handle -> handle.createQuery("SELECT DISTINCT principal FROM " + table)
                        .mapTo(String.class)
                        .list());
    }

    /** O54: a shared address in front bans nobody; neither does what somebody writes into the header before it. */
    @Test
    void anAddressBehindTheProxyIsBannedAloneAndByNobodyElse() throws Exception {
        try (RunningWeir weir = weir("mcp.auth.required", "false");
                Wire wire = weir.wire()) {
            for (int i = 0; i < 12; i++) {
                ask(wire, "", from("192.0.2.7, 198.51.100." + i + ", 203.0.113.5"), "X-Real-IP: 192.0.2.7\r\n");
            }
            assertThat(ask(wire, "", from("203.0.113.5")).body()).contains("-32030");
            assertThat(ask(wire, "", from("203.0.113.5, 10.1.2.3")).body())
                    .as("by another way")
                    .contains("-32030");
            assertServed(wire, "", from("203.0.113.6"));
            assertServed(wire, "", from("192.0.2.7"));
            assertServed(wire, "", "Forwarded: for=203.0.113.5\r\n");
            assertServed(wire, K1, from("203.0.113.5"));
            await().untilAsserted(() -> assertThat(principals(weir, "ban")).containsExactly("address:203.0.113.5"));
        }
    }

    /** O54: clients that have proven themselves are told apart by that, whoever sends for them. */
    @Test
    void aClientBehindTheProxyIsBannedAndItsNeighbourIsNot() throws Exception {
        try (RunningWeir weir = weir();
                Wire wire = weir.wire()) {
            for (int i = 0; i < 12; i++) {
                ask(wire, K1, from("203.0.113.5"));
            }
            assertThat(ask(wire, K1, from("203.0.113.99")).body()).contains("-32030");
            assertServed(wire, K2, from("203.0.113.5"));
            await().untilAsserted(() -> assertThat(principals(weir, "ban")).containsExactly("client:c1"));
        }
    }

    /** O47 and O54: guesses cost the guesser's own address, and neither the proxy nor anybody else behind it. */
    @Test
    void noiseThroughTheProxyCostsItsOwnAddressOnly() throws Exception {
        try (RunningWeir weir = weir();
                Wire wire = weir.wire()) {
            int refused = 0;
            for (int i = 0; i < 100; i++) {
                refused += ask(wire, "guess-" + i, from("192.0.2." + i + ", 203.0.113.5"))
                                        .status()
                                == 429
                        ? 1
                        : 0;
            }
            assertThat(refused).as("one address, whatever it says before it").isPositive();
            assertThat(ask(wire, "guess", from("203.0.113.6")).status()).isEqualTo(401);
            assertThat(ask(wire, "guess").status()).as("the proxy itself").isEqualTo(401);
            assertServed(wire, K1, from("203.0.113.5"));
            assertThat(principals(weir, "ban")).isEmpty();
        }
    }

    @Test
    void addressesOfIpv6AreOneBySixtyFourBits() throws Exception {
        try (RunningWeir weir = weir();
                Wire wire = weir.wire()) {
            int refused = 0;
            for (int i = 0; i < 100; i++) {
                refused += ask(wire, "guess-" + i, from("2001:db8:1:2::" + i)).status() == 429 ? 1 : 0;
            }
            assertThat(refused).isPositive();
            assertThat(ask(wire, "guess", from("[2001:db8:1:3::1]:4711")).status())
                    .isEqualTo(401);
        }
    }

    @Test
    void theUpstreamIsToldWhatIsBelievedAndTheLogTheClient() throws Exception {
        try (RunningWeir weir = weir("mcp.rate-limit.enabled", "false");
                LogLines log = new LogLines(RequestLog.class);
                Wire wire = weir.wire()) {
            String headers = from("198.51.100.1, 203.0.113.5, 10.0.0.2") + "X-Request-ID: told\r\n"
                    + "X-Forwarded-Proto: https\r\nX-Forwarded-Host: gw.example:8443\r\nX-Real-IP: 198.51.100.9\r\n"
                    + "Forwarded: for=198.51.100.8;proto=ftp\r\n";
            assertServed(wire, K1, headers);
            StubUpstream.Received received = upstream.received().get(0);
            assertThat(received.values("X-Forwarded-For")).containsExactly("203.0.113.5, 10.0.0.2, 127.0.0.1");
            assertThat(received.values("X-Forwarded-Proto")).containsExactly("https");
            assertThat(received.values("X-Forwarded-Host")).containsExactly("gw.example:8443");
            assertThat(received.head()).noneMatch(line -> line.contains("198.51.100"));
            await().until(() -> log.of("request_end", "told").size() == 1);
            assertThat(log.of("request_start", "told")).hasSize(1);
            assertThat(List.of(
                            LogLines.field(log.of("request_start", "told").get(0), "client_ip"),
                            LogLines.field(log.of("request_end", "told").get(0), "client_ip")))
                    .containsOnly("203.0.113.5");
        }
    }

    @Test
    void theStandardHeaderIsReadWhereItIsTheOne() throws Exception {
        try (RunningWeir weir = weir("mcp.forwarded-header", "forwarded", "mcp.rate-limit.enabled", "false");
                Wire wire = weir.wire()) {
            String headers = "Forwarded: for=198.51.100.1;host=evil.example, for=\"[2001:db8::5]:99\";proto=https;"
                    + "host=gw.example\r\n" + from("198.51.100.2") + "X-Forwarded-Host: evil.example\r\n";
            assertServed(wire, K1, headers);
            StubUpstream.Received received = upstream.received().get(0);
            assertThat(received.values("X-Forwarded-For")).containsExactly("2001:db8:0:0:0:0:0:5, 127.0.0.1");
            assertThat(received.values("X-Forwarded-Proto")).containsExactly("https");
            assertThat(received.values("X-Forwarded-Host")).containsExactly("gw.example");
        }
    }

    @Test
    void thePublicAddressOfTheOperatorWinsOverWhatAnybodySays() throws Exception {
        try (RunningWeir weir =
                        weir("mcp.public-url", "https://public.example:444/", "mcp.rate-limit.enabled", "false");
                Wire wire = weir.wire()) {
            assertServed(wire, K1, from("203.0.113.5"), "X-Forwarded-Proto: http\r\nX-Forwarded-Host: gw.example\r\n");
            StubUpstream.Received received = upstream.received().get(0);
            assertThat(received.values("X-Forwarded-For")).containsExactly("203.0.113.5, 127.0.0.1");
            assertThat(received.values("X-Forwarded-Proto")).containsExactly("https");
            assertThat(received.values("X-Forwarded-Host")).containsExactly("public.example:444");
        }
    }

    @Test
    void aStrangerIsToldWhereTheMetadataIsByTheAddressThatItHasAskedFor() throws Exception {
        try (RunningWeir weir = weir("mcp.auth.jwt.issuer", "http://127.0.0.1:1", "mcp.auth.jwt.audience", "weir");
                Wire wire = weir.wire()) {
            String asked = "X-Forwarded-Proto: https\r\nX-Forwarded-Host: gw.example:8443\r\n";
            Wire.Answer answer = ask(wire, "", from("203.0.113.5"), asked);
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.head().values("WWW-Authenticate").get(0))
                    .contains("resource_metadata=\"https://gw.example:8443/.well-known/oauth-protected-resource/mcp\"");
        }
    }

    /** A proxy on this machine is no browser on this machine, and one that is believed must not be a way around the rules. */
    @Test
    void aProxyOnThisMachineStillHasToNameAHostThatIsAllowed() throws Exception {
        try (RunningWeir weir = weir();
                Wire wire = weir.wire()) {
            String foreign =
                    post(K1, call(1, "T1"), from("203.0.113.5")).replace("Host: localhost", "Host: gw.example");
            wire.send(foreign);
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.body()).contains("MCP_ALLOWED_HOSTS");
            assertThat(ask(wire, K1, from("203.0.113.5"), "Origin: http://localhost:5173\r\n")
                            .status())
                    .as("a page on the sender's own machine")
                    .isEqualTo(403);
            assertServed(wire, K1, from("127.0.0.1"), "Origin: http://localhost:5173\r\n");
        }
    }

    @Test
    void whatComesThroughTheProxyIsNotFromHere() throws Exception {
        try (RunningWeir weir = weir()) {
            String token = Files.readString(directory.resolve("admin-token")).strip();
            assertThat(Scrape.of(weir).answer().status())
                    .as("it may be for anybody")
                    .isEqualTo(401);
            assertThat(Scrape.of(weir, from("127.0.0.1")).answer().status()).isEqualTo(401);
            assertThat(Scrape.of(weir, from("203.0.113.5"), "Authorization: Bearer " + token + "\r\n")
                            .answer()
                            .status())
                    .isEqualTo(200);
            assertThat(weir.probe("/health")).doesNotContain(upstream.base().getAuthority());
        }
    }

    /** Whether somebody is trusted or not, what speaks of somebody else speaks of somebody who is not here. */
    @Test
    void whatSaysThatItIsForwardedIsNotFromHere() throws Exception {
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base())) {
            assertThat(Scrape.of(weir).answer().status()).isEqualTo(200);
            for (String header : List.of(
                    "Forwarded: for=127.0.0.1",
                    "X-Forwarded-For: 127.0.0.1",
                    "X-Forwarded-Proto: http",
                    "X-Forwarded-Host: localhost",
                    "X-Real-IP: 127.0.0.1",
                    "Via: 1.1 proxy")) {
                assertThat(Scrape.of(weir, header + "\r\n").answer().status())
                        .as(header)
                        .isEqualTo(401);
            }
        }
    }
}
