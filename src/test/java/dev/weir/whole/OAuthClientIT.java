package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.issuer.AuthorizationServer;
import dev.weir.issuer.AuthorizationServer.Flaw;
import dev.weir.issuer.TestKey;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The OAuth clients of both generations of the official TypeScript client, through Weir to the demo server: from no credential at
 * all to a tool's answer, with nothing but Weir's address.
 */
@Timeout(300)
class OAuthClientIT {

    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path directory;

    private AuthorizationServer server;
    private WeirProcess weir;

    @BeforeEach
    void start() throws Exception {
        server = AuthorizationServer.start(TestKey.of("RS256", "k1"));
        int port = ChildProcess.freePort();
        Map<String, String> settings = Map.of(
                "MCP_AUTH_REQUIRED",
                "true",
                "MCP_HOST",
                "127.0.0.1",
                "MCP_AUTH_JWT_ISSUER",
                server.issuer().toString(),
                "MCP_AUTH_JWT_AUDIENCE",
                "http://127.0.0.1:" + port + "/mcp");
        weir = WeirProcess.start(port, directory, settings, "--demo").awaitReady();
    }

    @AfterEach
    void stop() {
        weir.close();
        server.close();
    }

    private String url() {
        return weir.url() + "/mcp";
    }

    private static List<JsonNode> lines(NodeScript.Ended ended) {
        return ended.stdout().stream().map(JSON::readTree).toList();
    }

    private static List<String> steps(NodeScript.Ended ended) {
        return lines(ended).stream().map(line -> line.get("step").asString()).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"oauth-sdk.mjs", "oauth-client.mjs"})
    void anAgentWithoutAKeyFindsItsWayToATokenAndCallsATool(String script) throws Exception {
        NodeScript.Ended ended = NodeScript.run(script, url());

        assertThat(ended.exitCode()).as(ended.said() + weir.stdout()).isZero();
        assertThat(steps(ended))
                .containsExactly(
                        "registered", "authorized", "refused", "tokens", "connected", "tools/list", "tools/call");
        assertThat(lines(ended).get(1).get("resource").asString()).isEqualTo(url());
        assertThat(lines(ended).get(6).get("text").asString()).contains("hello, token");
        assertThat(server.asked()).contains("/register", "/authorize", "/token", "/jwks");
    }

    @ParameterizedTest
    @ValueSource(strings = {"oauth-sdk.mjs", "oauth-client.mjs"})
    void aTokenThatHasExpiredIsChangedForAnotherWithoutTheUser(String script) throws Exception {
        server.give(Flaw.EXPIRED);

        NodeScript.Ended ended = NodeScript.run(script, url());

        assertThat(ended.exitCode()).as(ended.said() + weir.stdout()).isZero();
        assertThat(steps(ended))
                .containsExactly(
                        "registered",
                        "authorized",
                        "refused",
                        "tokens",
                        "tokens",
                        "connected",
                        "tools/list",
                        "tools/call");
        assertThat(server.asked()).containsOnlyOnce("/authorize");
    }

    @ParameterizedTest
    @ValueSource(strings = {"oauth-sdk.mjs", "oauth-client.mjs"})
    void aTokenForSomebodyElseOpensNothing(String script) throws Exception {
        server.give(Flaw.FOREIGN, Flaw.FOREIGN, Flaw.FOREIGN, Flaw.FOREIGN, Flaw.FOREIGN, Flaw.FOREIGN);

        NodeScript.Ended ended = NodeScript.run(script, url());

        assertThat(ended.exitCode()).as(ended.said()).isEqualTo(1);
        assertThat(steps(ended)).contains("tokens").doesNotContain("connected", "tools/call");
        assertThat(weir.stdout())
                .filteredOn(line -> line.contains("request_end") && line.contains("\"path\":\"/mcp\""))
                .isNotEmpty()
                .allMatch(line -> line.contains("\"status_code\":401"));
    }

    /** The first token is asked for with what the route needs, the second with what the tool needs as well. */
    @Test
    void anAgentIsToldWhichScopesAToolNeedsAndGetsThem() throws Exception {
        WeirProcess.Run edit = WeirProcess.run(
                directory,
                Map.of(),
                "sql",
                "UPDATE route SET scopes = 'mcp:use'; UPDATE tool SET scopes = 'echo:use' WHERE name = 'echo'");
        assertThat(edit.stdout()).containsExactly("1 row changed", "1 row changed");
        await("the edit is in force")
                .until(() -> get("/.well-known/oauth-protected-resource/mcp").contains("echo:use"));

        NodeScript.Ended ended = NodeScript.run("oauth-step-up.mjs", url());

        assertThat(ended.exitCode()).as(ended.said() + weir.stdout()).isZero();
        assertThat(steps(ended))
                .containsExactly(
                        "registered",
                        "authorized",
                        "tokens",
                        "connected",
                        "authorized",
                        "refused",
                        "tokens",
                        "tools/call");
        assertThat(lines(ended).get(1).get("scope").asString()).isEqualTo("mcp:use");
        assertThat(lines(ended).get(4).get("scope").asString().split(" "))
                .containsExactlyInAnyOrder("mcp:use", "echo:use");
    }

    private String get(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(weir.url() + path)).build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
