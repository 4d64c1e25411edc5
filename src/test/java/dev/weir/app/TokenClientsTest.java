package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.issuer.TestIssuer;
import dev.weir.issuer.TestKey;
import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose a token is, what it opens, and under what its calls are counted. */
@Timeout(60)
class TokenClientsTest {

    private static final TestKey KEY = TestKey.of("EdDSA", "k1");
    private static final String MAPPED = "INSERT INTO client_token (content, client) VALUES ('agent-7', 'c1')";

    @TempDir
    Path directory;

    private StubUpstream upstream;
    private TestIssuer issuer;

    @BeforeEach
    void start() throws Exception {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}";
        upstream = new StubUpstream((request, line) -> line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                + "Mcp-Session-Id: s1\r\nContent-Length: " + body.length() + "\r\n\r\n" + body));
        issuer = TestIssuer.start(KEY);
    }

    @AfterEach
    void stop() throws Exception {
        upstream.close();
        issuer.close();
    }

    private RunningWeir weir(String strategy, String... edits) throws Exception {
        return RunningWeir.startWith(
                List.of(edits),
                directory,
                upstream.base(),
                "mcp.auth.jwt.issuer",
                issuer.issuer().toString(),
                "mcp.auth.jwt.audience",
                "gw",
                "mcp.auth.jwks-url",
                issuer.jwks().toString(),
                "mcp.public-url",
                "https://gateway.example",
                "mcp.rate-limit.key-strategy",
                strategy);
    }

    /** A good token with some claims of the test's own; an empty one is left out. */
    private String token(String... claims) {
        Map<String, Object> all = issuer.claims("gw", System.currentTimeMillis());
        for (int i = 0; i < claims.length; i += 2) {
            all.put(claims[i], claims[i + 1]);
        }
        all.values().removeIf(""::equals);
        return KEY.token(all);
    }

    private static Wire.Answer ask(RunningWeir weir, String credential, String body, String... headers)
            throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(post(credential, body, headers));
            return wire.answer();
        }
    }

    /** Calls the tool with the small bucket until it is refused, and says under what the refusal is written down. */
    private String countedUnder(RunningWeir weir, String credential) throws IOException {
        for (int i = 0; i < 40; i++) {
            if (ask(weir, credential, call(i, "T1")).body().contains("-32029")) {
                break;
            }
        }
        List<String> principals = new ArrayList<>();
        await().until(() -> {
            principals.clear();
            principals.addAll(weir.database()
                    .withHandle(handle -> handle.select("SELECT DISTINCT principal FROM throttle_event")
                            .mapTo(String.class)
                            .list()));
            return !principals.isEmpty();
        });
        assertThat(principals).hasSize(1);
        return principals.get(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "client  | " + MAPPED + " | alice | client:c1",
                "client  | INSERT INTO client_token (claim, content, client) VALUES ('sub', 'alice', 'c2') | alice | client:c2",
                "client  | DELETE FROM client_token | alice | user:alice",
                "user    | " + MAPPED + " | alice | user:alice",
                "api_key | " + MAPPED + " | alice | user:alice",
                "ip      | " + MAPPED + " | alice | address:127.0.0.1",
                "user    | DELETE FROM client_token | 'Ann Öther' | user:~41fc3bbf29fe6c60134f58d7093ae621f84e563680b1fc7bd3db4a7618ffccca"
            })
    void aTokenIsCountedAsTheStrategySays(String strategy, String edit, String subject, String principal)
            throws Exception {
        try (RunningWeir weir = weir(strategy, edit)) {
            assertThat(countedUnder(weir, token("sub", subject))).isEqualTo(principal);
        }
    }

    /** The subject is looked at before the client that a token was given to, which may also be told as azp. */
    @Test
    void theSubjectSaysMoreThanTheClientOfAToken() throws Exception {
        try (RunningWeir weir = weir(
                "client",
                MAPPED,
                "INSERT INTO client_token (claim, content, client) VALUES ('sub', 'bob', 'c2')",
                "INSERT INTO client_tool (client, route, tool, allowed) VALUES ('c2', '/mcp', 'T1', FALSE)")) {
            assertThat(ask(weir, token(), call(1, "T1")).body()).contains("result");
            assertThat(ask(weir, token("client_id", "", "azp", "agent-7"), call(1, "T1"))
                            .body())
                    .contains("result");
            assertThat(ask(weir, token("sub", "bob"), call(1, "T1")).body()).contains("-32031");
        }
    }

    @Test
    void aUserThatRunsAwayIsBannedAndOthersOfTheSameClientAreNot() throws Exception {
        try (RunningWeir weir = weir("user", MAPPED)) {
            String alice = token();
            String last = "";
            for (int i = 0; i < 60 && !last.contains("-32030"); i++) {
                last = ask(weir, alice, call(i, "T1")).body();
            }
            assertThat(last).contains("-32030");
            assertThat(ask(weir, token("jti", "another token of hers"), call(1, "echo"))
                            .body())
                    .contains("-32030");
            assertThat(ask(weir, token("sub", "bob"), call(1, "T1")).body()).contains("result");
            List<String> banned = weir.database()
                    .withHandle(handle -> handle.select("SELECT principal FROM ban")
                            .mapTo(String.class)
                            .list());
            assertThat(banned).containsExactly("user:alice");
        }
    }

    @Test
    void whatOneUserHasOpenedIsNoOtherUsersOfTheSameClient() throws Exception {
        try (RunningWeir weir = weir("client", MAPPED)) {
            String session = "Mcp-Session-Id: "
                    + ask(weir, token(), call(1, "echo"))
                            .head()
                            .values("Mcp-Session-Id")
                            .get(0)
                    + "\r\n";
            assertThat(ask(weir, token("jti", "2"), call(1, "echo"), session).status())
                    .isEqualTo(200);
            assertThat(ask(weir, token("sub", "bob"), call(1, "echo"), session).status())
                    .isEqualTo(404);
            assertThat(ask(weir, K1, call(1, "echo"), session).status()).isEqualTo(404);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INSERT INTO setting VALUES ('unlisted_tokens', 'refuse') | 403",
                "INSERT INTO setting VALUES ('unlisted_tokens', 'allow') | 200",
                "UPDATE route SET access = 'listed' | 403"
            })
    void aTokenThatIsNoListedClientsMayWhatTheOperatorSays(String edit, int status) throws Exception {
        try (RunningWeir weir = weir("client", edit)) {
            Wire.Answer answer = ask(weir, token(), call(1, "echo"));
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.head().values("WWW-Authenticate")).isEmpty();
        }
    }

    @Test
    void aClientThatIsSwitchedOffIsSoWithinASecondAndNobodyIsSentToLogIn() throws Exception {
        try (RunningWeir weir = weir("client", MAPPED)) {
            String token = token();
            assertThat(ask(weir, token, call(1, "echo")).status()).isEqualTo(200);
            weir.sql("UPDATE client SET enabled = FALSE WHERE id = 'c1'");
            await().until(() -> ask(weir, token, call(1, "echo")).status() == 403);
            assertThat(ask(weir, token, call(1, "echo")).head().values("WWW-Authenticate"))
                    .isEmpty();
        }
    }

    /** One challenge names all that is needed, so that a client has to ask only once. */
    @Test
    void aTokenThatLacksAScopeIsToldAllScopesThatItNeedsAtOnce() throws Exception {
        try (RunningWeir weir = weir(
                "client", "UPDATE route SET scopes = 'tools:read'", "UPDATE tool SET scopes = 'db:admin db:read'")) {
            Wire.Answer answer = ask(weir, token(), call("\"r\"", "T1"));
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.head().values("WWW-Authenticate").get(0))
                    .startsWith("Bearer ")
                    .contains("error=\"insufficient_scope\"")
                    .contains("scope=\"db:admin db:read tools:read\"")
                    .contains("resource_metadata=\"https://gateway.example/.well-known/oauth-protected-resource/mcp\"");
            assertThat(answer.body())
                    .contains("\"id\":\"r\"")
                    .contains("-32031")
                    .contains("forbidden");
            assertThat(ask(weir, token("scope", "tools:read db:read db:admin"), call(1, "T1"))
                            .status())
                    .isEqualTo(200);
            Wire.Answer route = ask(weir, token("scope", "other"), call(1, "echo"));
            assertThat(route.status()).isEqualTo(403);
            assertThat(route.head().values("WWW-Authenticate").get(0)).contains("scope=\"tools:read\"");
        }
    }

    /** What a client's row says of scopes is said of its keys: a token brings its own. */
    @Test
    void theScopesOfATokenAreItsOwn() throws Exception {
        try (RunningWeir weir =
                weir("client", MAPPED, "UPDATE route SET scopes = 'x'", "UPDATE client SET scopes = 'x'")) {
            assertThat(ask(weir, K1, call(1, "echo")).status()).isEqualTo(200);
            assertThat(ask(weir, token(), call(1, "echo")).status()).isEqualTo(403);
            assertThat(ask(weir, token("scope", "", "scp", "x"), call(1, "echo"))
                            .status())
                    .isEqualTo(200);
        }
    }

    /** A limit or a ban must not look like a login that is needed. */
    @Test
    void noThrottleAndNoBanOfABearerHasAChallenge() throws Exception {
        try (RunningWeir weir = weir("client", "INSERT INTO setting VALUES ('refusal_form', 'http_429')")) {
            String token = token();
            for (int i = 0; i < 40; i++) {
                Wire.Answer answer = ask(weir, token, call(i, "T1"));
                assertThat(answer.status()).isIn(200, 429, 403);
                assertThat(answer.head().values("WWW-Authenticate")).isEmpty();
            }
            assertThat(ask(weir, token, call(1, "T1")).status()).isEqualTo(403);
        }
    }
}
