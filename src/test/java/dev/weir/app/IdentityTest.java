package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may call, from which pages, and under which names. */
@Timeout(60)
class IdentityTest {

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

    private static Wire.Answer ask(Wire wire, String request) throws IOException {
        wire.send(request);
        return wire.answer();
    }

    private static String with(String headers) {
        return with(headers, "echo");
    }

    private static String with(String headers, String tool) {
        return post(K1, call("\"r\"", tool)).replace("Authorization: Bearer " + K1 + "\r\n", headers);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Authorization: Bearer " + K1 + "\r\n",
                "authorization: bearer " + K1 + "\r\n",
                "X-API-Key: " + K1 + "\r\n",
                "X-API-Key: " + K1 + "\r\nAuthorization: Bearer " + K1 + "\r\n"
            })
    void aGoodKeyIsTakenFromEitherField(String headers) throws Exception {
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base());
                Wire wire = weir.wire()) {
            assertThat(ask(wire, with(headers)).status()).isEqualTo(200);
            assertThat(upstream.received().get(0).values("Authorization")).isEmpty();
            assertThat(upstream.received().get(0).values("X-API-Key")).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | true | unauthenticated",
                "'Authorization: Bearer wrong\r\n' | true | invalid_credential",
                "'Authorization: Bearer wrong\r\n' | false | invalid_credential",
                "'Authorization: Basic YTpi\r\n' | false | invalid_credential",
                "'Authorization: Bearer\r\n' | false | invalid_credential",
                "'X-API-Key: wrong\r\n' | false | invalid_credential",
                "'X-API-Key: wrong\r\nAuthorization: Bearer " + K1 + "\r\n' | false | invalid_credential"
            })
    void aCredentialThatIsMissingOrNotGoodIsAnswered401WithTheCallersId(String headers, String required, String error)
            throws Exception {
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base(), "mcp.auth.required", required);
                Wire wire = weir.wire()) {
            Wire.Answer answer = ask(wire, with(headers));
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.head().values("WWW-Authenticate").get(0)).startsWith("Bearer");
            assertThat(answer.head().values("Content-Type")).containsExactly("application/json");
            assertThat(answer.body())
                    .startsWith("{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"error\":{\"code\":401")
                    .contains(error);
            assertThat(upstream.received()).isEmpty();
        }
    }

    @Test
    void guessersAreThrottledUnderTheirAddressAndCostNobodyElse() throws Exception {
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base());
                Wire wire = weir.wire()) {
            int refused = 0;
            for (int i = 0; i < 60; i++) {
                Wire.Answer answer = ask(wire, with("Authorization: Bearer guess-" + i + "\r\n"));
                assertThat(answer.status()).isIn(401, 429);
                refused += answer.status() == 429 ? 1 : 0;
            }
            assertThat(refused).isPositive();
            assertThat(ask(wire, with("Authorization: Bearer " + K1 + "\r\n")).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void anonymousCallersAreLetInWhereNothingIsAskedForAndAreLimitedByAddress() throws Exception {
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base(), "mcp.auth.required", "false");
                Wire wire = weir.wire()) {
            int throttled = 0;
            for (int i = 0; i < 8; i++) {
                Wire.Answer answer = ask(wire, with("", "T1"));
                assertThat(answer.status()).isEqualTo(200);
                throttled += answer.body().contains("-32029") ? 1 : 0;
            }
            assertThat(throttled).isEqualTo(3);
        }
    }

    @Test
    void aKeyThatIsRevokedInTheDatabaseIsNoGoodWithinASecond() throws Exception {
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base());
                Wire wire = weir.wire()) {
            assertThat(ask(wire, post(K1, call(1, "echo"))).status()).isEqualTo(200);
            weir.sql("UPDATE client_key SET revoked_at = CURRENT_TIMESTAMP WHERE client = 'c1'");
            await().until(() -> ask(wire, post(K1, call(1, "echo"))).status() == 401);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, 200",
        "localhost:8080, 200",
        "127.0.0.1, 200",
        "[::1]:8080, 200",
        "evil.example, 403",
        "evil.example:8080, 403",
        "localhost.evil.example, 403"
    })
    void aCallerOnThisMachineMustUseANameOfThisMachine(String host, int status) throws Exception {
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base());
                Wire wire = weir.wire()) {
            Wire.Answer answer = ask(wire, post(K1, call(1, "echo")).replace("Host: localhost", "Host: " + host));
            assertThat(answer.status()).isEqualTo(status);
            if (status == 403) {
                assertThat(answer.body()).contains("MCP_ALLOWED_HOSTS");
                assertThat(upstream.received()).isEmpty();
            }
        }
    }

    @Test
    void aListOfHostsBindsEverybody() throws Exception {
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base(), "mcp.allowed-hosts", "gw.example");
                Wire wire = weir.wire()) {
            String call = post(K1, call(1, "echo"));
            assertThat(ask(wire, call.replace("Host: localhost", "Host: gw.example:80"))
                            .status())
                    .isEqualTo(200);
            assertThat(ask(wire, call).status()).isEqualTo(403);
            wire.send("GET /ready HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n");
            assertThat(wire.answer().status()).as("probes are exempt").isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost:3000, 200",
        "http://127.0.0.1, 200",
        "https://app.example, 200",
        "https://evil.example, 403",
        "null, 403",
        "file://, 403",
        "https://app.example.evil, 403"
    })
    void aPageMustBeOfAnAllowedOrigin(String origin, int status) throws Exception {
        try (RunningWeir weir =
                        RunningWeir.start(directory, upstream.base(), "mcp.allowed-origins", "https://app.example");
                Wire wire = weir.wire()) {
            Wire.Answer answer = ask(wire, post(K1, call(1, "echo"), "Origin: " + origin + "\r\n"));
            assertThat(answer.status()).isEqualTo(status);
            if (status == 200) {
                assertThat(answer.head().values("Access-Control-Allow-Origin")).containsExactly(origin);
                assertThat(answer.head().values("Access-Control-Expose-Headers").get(0))
                        .contains("Mcp-Session-Id", "Retry-After");
            } else {
                assertThat(answer.body()).contains("MCP_ALLOWED_ORIGINS");
                assertThat(answer.head().values("Access-Control-Allow-Origin")).isEmpty();
            }
        }
    }

    @Test
    void aRefusalCanBeReadByAPageToo() throws Exception {
        try (RunningWeir weir =
                        RunningWeir.start(directory, upstream.base(), "mcp.allowed-origins", "https://app.example");
                Wire wire = weir.wire()) {
            Wire.Answer answer = ask(wire, with("Origin: https://app.example\r\n"));
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.head().values("Access-Control-Allow-Origin")).containsExactly("https://app.example");
        }
    }

    @Test
    void aPreflightIsAnsweredWithoutCredentialsAndNeverCharged() throws Exception {
        try (RunningWeir weir =
                        RunningWeir.start(directory, upstream.base(), "mcp.allowed-origins", "https://app.example");
                Wire wire = weir.wire()) {
            for (int i = 0; i < 200; i++) {
                Wire.Answer answer = ask(
                        wire,
                        "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n"
                                + "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization,"
                                + "content-type,mcp-session-id,mcp-protocol-version,mcp-param-city,x-evil\r\n\r\n");
                assertThat(answer.status()).isEqualTo(204);
                assertThat(answer.head().values("Access-Control-Allow-Headers").get(0))
                        .contains("authorization", "mcp-session-id", "mcp-param-city")
                        .doesNotContain("x-evil");
                assertThat(answer.head().values("Access-Control-Allow-Methods").get(0))
                        .contains("POST", "DELETE");
            }
            assertThat(ask(wire, "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .status())
                    .as("no preflight, and so no way around the login")
                    .isEqualTo(401);
        }
        assertThat(upstream.received()).isEmpty();
    }
}
