package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.util.JSONObjectUtils;
import dev.weir.issuer.TestIssuer;
import dev.weir.issuer.TestKey;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Access tokens through a whole Weir, with an issuer on a socket. */
@Timeout(60)
class TokenTest {

    private static final TestKey KEY = TestKey.of("ES256", "k1");
    private static final TestKey NEXT = TestKey.of("ES256", "k2");

    @TempDir
    Path directory;

    private final AtomicInteger senders = new AtomicInteger();
    private StubUpstream upstream;
    private TestIssuer issuer;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> line.json(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
        issuer = TestIssuer.start(KEY);
        issuer.describe(TestIssuer.METADATA, issuer.issuer().toString());
    }

    @AfterEach
    void stop() throws Exception {
        upstream.close();
        issuer.close();
    }

    /** One whose tokens are for {@code gw}, behind a proxy, so that requests can come from many addresses. */
    private RunningWeir weir() throws Exception {
        return weir("mcp.trusted-proxies", "127.0.0.1");
    }

    private RunningWeir weir(String setting, String value) throws Exception {
        return RunningWeir.start(
                directory,
                upstream.base(),
                setting,
                value,
                "mcp.auth.jwt.issuer",
                issuer.issuer().toString(),
                "mcp.auth.jwt.audience",
                "gw,https://gateway.example/mcp");
    }

    private Map<String, Object> claims() {
        return issuer.claims("gw", System.currentTimeMillis());
    }

    private String request(String token) {
        return post(
                token,
                call(1, "echo"),
                "X-Forwarded-For: 10.0." + senders.incrementAndGet() / 250 + "." + (1 + senders.get() % 250) + "\r\n");
    }

    private Wire.Answer ask(RunningWeir weir, String token) throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(request(token));
            return wire.answer();
        }
    }

    @Test
    void aGoodTokenLetsItsBearerInAndGoesNoFurther() throws Exception {
        try (RunningWeir weir = weir("mcp.auth.required", "true")) {
            assertThat(ask(weir, KEY.token(claims())).status()).isEqualTo(200);
            assertThat(issuer.asked()).containsExactly(TestIssuer.METADATA, TestIssuer.JWKS);
            assertThat(upstream.received()).hasSize(1);
            assertThat(upstream.received().get(0).values("Authorization")).isEmpty();
            assertThat(weir.probe("/health")).contains("\"issuer\":\"ok\"");
            assertThat(weir.probe("/metrics"))
                    .contains("weir_issuer_up 1.0")
                    .containsPattern("weir_issuer_keys_age_seconds [0-9]");
        }
    }

    /** O60: string or array, exactly, and never absent. */
    @Test
    void onlyTokensForUsAreTakenWhateverTheShapeOfTheirAudience() throws Exception {
        try (RunningWeir weir = weir()) {
            for (String good : List.of("[\"x\",\"gw\"]", "[\"gw\"]", "\"gw\"", "\"https://gateway.example/mcp\"")) {
                assertThat(ask(weir, forAudience(good)).status()).as(good).isEqualTo(200);
            }
            for (String bad : List.of("[]", "null", "\"gw2\"", "\"GW\"", "[\"GW\"]", "{}", "1")) {
                Wire.Answer answer = ask(weir, forAudience(bad));
                assertThat(answer.status()).as(bad).isEqualTo(401);
                assertThat(answer.head().values("WWW-Authenticate").get(0))
                        .contains("error=\"invalid_token\"")
                        .contains("another audience");
            }
        }
    }

    private String forAudience(String json) throws Exception {
        Map<String, Object> claims = claims();
        claims.put("aud", JSONObjectUtils.parse("{\"aud\":" + json + "}").get("aud"));
        return KEY.token(claims);
    }

    @Test
    void theClockSkewIsTheSettings() throws Exception {
        try (RunningWeir weir = RunningWeir.start(
                directory,
                upstream.base(),
                "mcp.auth.jwt.issuer",
                issuer.issuer().toString(),
                "mcp.auth.jwt.audience",
                "gw",
                "mcp.auth.jwks-url",
                issuer.jwks().toString(),
                "mcp.auth.jwt.clock-skew-seconds",
                "300")) {
            Map<String, Object> claims = claims();
            claims.put("exp", System.currentTimeMillis() / 1000 - 200);
            assertThat(ask(weir, KEY.token(claims)).status()).isEqualTo(200);
            assertThat(issuer.asked()).doesNotContain(TestIssuer.METADATA);
            claims.put("exp", System.currentTimeMillis() / 1000 - 301);
            assertThat(ask(weir, KEY.token(claims)).status()).isEqualTo(401);
        }
    }

    /** O59: whoever waits for keys waits without a thread, and others do not wait. */
    @Test
    void whileTheIssuerHangsNobodyElseWaits() throws Exception {
        issuer.hang();
        List<Wire> waiting = new ArrayList<>();
        try (RunningWeir weir = weir()) {
            for (int i = 0; i < 300; i++) {
                Wire wire = weir.wire();
                waiting.add(wire);
                wire.send(request(KEY.token(claims())));
            }
            assertThat(ask(weir, K1).status()).isEqualTo(200);
            issuer.answerAgain();
            for (Wire wire : waiting) {
                // 503 for those for whom it took too long, on a machine that stalls.
                assertThat(wire.answer().status()).isIn(200, 503);
            }
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> ask(weir, KEY.token(claims())).status() == 200);
            assertThat(issuer.fetches()).as("not one for each of them").isLessThan(10);
        } finally {
            for (Wire wire : waiting) {
                wire.close();
            }
        }
    }

    /** O59: as many strange keys as anybody likes cost the issuer no question more. */
    @Test
    void tokensOfStrangeKeysAskTheIssuerForNothingSoSoonAfterItWasAsked() throws Exception {
        try (RunningWeir weir = weir();
                Wire wire = weir.wire()) {
            assertThat(ask(weir, KEY.token(claims())).status()).isEqualTo(200);
            long begun = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                String kid = UUID.randomUUID().toString();
                wire.send(request(NEXT.token(Map.of("alg", "ES256", "kid", kid), claims())));
                assertThat(wire.answer().status()).isEqualTo(401);
            }
            // One at the start, and one for each least pause that has passed on a machine that stalls.
            long pauses = (System.nanoTime() - begun) / 10_000_000_000L;
            assertThat(issuer.fetches()).isLessThanOrEqualTo(2 + pauses);

            issuer.goAway();
            assertThat(ask(weir, KEY.token(claims())).status()).isEqualTo(200);
        }
    }

    @Test
    void withoutAnyKeysItIsSaidThatNobodyCanTell() throws Exception {
        issuer.goAway();
        try (RunningWeir weir = weir("mcp.auth.required", "true")) {
            await().until(() -> weir.probe("/health").contains("\"issuer\":\"unreachable\""));
            Wire.Answer answer = ask(weir, KEY.token(claims()));
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.head().values("Retry-After")).isNotEmpty();
            assertThat(ask(weir, K1).status()).isEqualTo(200);
            assertThat(weir.probe("/health"))
                    .contains("degraded")
                    .doesNotContain(issuer.issuer().toString());
            assertThat(weir.probe("/metrics")).contains("weir_issuer_up 0.0");
        }
    }
}
