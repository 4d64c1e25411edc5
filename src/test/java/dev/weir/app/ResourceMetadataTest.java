package dev.weir.app;

import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where clients read who gives tokens for a route, and how they are sent there (RFC 9728). */
@Timeout(60)
class ResourceMetadataTest {

    private static final String WELL_KNOWN = "/.well-known/oauth-protected-resource";

    /** Nobody listens there: what is told does not depend on it. */
    private static final String[] ISSUER = {
        "mcp.auth.jwt.issuer", "http://127.0.0.1:1/login",
        "mcp.auth.jwt.audience", "https://gateway.example/mcp"
    };

    @TempDir
    Path directory;

    private StubUpstream upstream;

    @BeforeEach
    void start() throws IOException {
        upstream = new StubUpstream((request, line) -> line.json(200, "{}"));
    }

    @AfterEach
    void stop() throws IOException {
        upstream.close();
    }

    private static Wire.Answer ask(RunningWeir weir, String method, String path, String... headers) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(method + " " + path + " HTTP/1.1\r\nHost: localhost:99\r\n" + String.join("", headers) + "\r\n");
            return wire.answer();
        }
    }

    private static String header(Wire.Answer answer, String name) {
        return String.join(" | ", answer.head().values(name));
    }

    private RunningWeir weir(List<String> edits, String... more) throws Exception {
        String[] settings = Stream.concat(Stream.of(ISSUER), Stream.of(more)).toArray(String[]::new);
        return RunningWeir.startWith(edits, directory, upstream.base(), settings);
    }

    @Test
    void eachRouteHasItsOwnAndTheRootSpeaksForTheOnlyOne() throws Exception {
        try (RunningWeir weir = weir(List.of())) {
            Wire.Answer answer = ask(weir, "GET", WELL_KNOWN + "/mcp");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(header(answer, "Content-Type")).isEqualTo("application/json");
            assertThat(header(answer, "Cache-Control")).isEqualTo("no-store");
            assertThat(answer.body())
                    .isEqualTo("{\"resource\":\"http://localhost:99/mcp\","
                            + "\"authorization_servers\":[\"http://127.0.0.1:1/login\"],"
                            + "\"bearer_methods_supported\":[\"header\"],\"resource_name\":\"Weir /mcp\"}");
            assertThat(ask(weir, "GET", WELL_KNOWN).body()).isEqualTo(answer.body());
            for (String other : List.of("/mcp/", "/mcp/below", "/MCP", "/other", "/")) {
                Wire.Answer none = ask(weir, "GET", WELL_KNOWN + other);
                assertThat(none.status()).as(other).isEqualTo(404);
                assertThat(none.body()).contains("not_found");
            }
            weir.sql("INSERT INTO route (prefix, upstream_url) VALUES ('/team/mcp', '" + upstream.base() + "')");
            await().untilAsserted(() -> assertThat(
                            ask(weir, "GET", WELL_KNOWN + "/team/mcp").body())
                    .contains("http://localhost:99/team/mcp"));
            assertThat(ask(weir, "GET", WELL_KNOWN).status())
                    .as("the root, where two could be meant")
                    .isEqualTo(404);
            weir.sql("INSERT INTO route (prefix, upstream_url) VALUES ('/', '" + upstream.base() + "')");
            await().untilAsserted(() ->
                    assertThat(ask(weir, "GET", WELL_KNOWN).body()).contains("\"resource\":\"http://localhost:99/\""));
        }
    }

    @Test
    void thePublicAddressIsWhatIsConfiguredAndScopesAreThoseOfRouteAndTools() throws Exception {
        List<String> edits = List.of(
                "UPDATE route SET scopes = 'mcp:use' WHERE prefix = '/mcp'",
                "UPDATE tool SET scopes = 'db:read mcp:use' WHERE name = 'T1'");
        try (RunningWeir weir = weir(edits, "mcp.public-url", "https://gateway.example/gw/")) {
            Wire.Answer answer = ask(weir, "GET", WELL_KNOWN + "/mcp");
            assertThat(answer.body())
                    .contains("\"resource\":\"https://gateway.example/gw/mcp\"")
                    .contains("\"scopes_supported\":[\"db:read\",\"mcp:use\"]");
            assertThat(header(answer, "Cache-Control")).isEqualTo("max-age=300");

            try (Wire wire = weir.wire()) {
                wire.send(post("x", call(1, "T1")).replace("Authorization: Bearer x\r\n", ""));
                assertThat(header(wire.answer(), "WWW-Authenticate"))
                        .isEqualTo("Bearer realm=\"weir\", scope=\"mcp:use\", resource_metadata="
                                + "\"https://gateway.example/gw/.well-known/oauth-protected-resource/mcp\"");
            }
        }
    }

    @Test
    void whoPresentsABadTokenIsToldWhatIsWrongAndWhereToGetABetterOne() throws Exception {
        try (RunningWeir weir = weir(List.of());
                Wire wire = weir.wire()) {
            wire.send(post("e30.e30.AAAA", call(1, "T1")));
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(401);
            assertThat(header(answer, "WWW-Authenticate"))
                    .isEqualTo("Bearer realm=\"weir\", error=\"invalid_token\","
                            + " error_description=\"the token is no signed JWT\", resource_metadata="
                            + "\"http://localhost/.well-known/oauth-protected-resource/mcp\"");
        }
    }

    @Test
    void itIsOnlyReadAndNeedsNoCredentialAndPagesMayReadIt() throws Exception {
        try (RunningWeir weir = weir(List.of(), "mcp.allowed-origins", "https://console.example")) {
            String origin = "Origin: https://console.example\r\n";
            Wire.Answer head = ask(weir, "GET", WELL_KNOWN + "/mcp", origin, "Authorization: Bearer wrong\r\n");
            assertThat(head.status()).isEqualTo(200);
            assertThat(header(head, "Access-Control-Allow-Origin")).isEqualTo("https://console.example");
            Wire.Answer preflight = ask(
                    weir,
                    "OPTIONS",
                    WELL_KNOWN + "/mcp",
                    origin,
                    "Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: mcp-protocol-version\r\n");
            assertThat(preflight.status()).isEqualTo(204);
            assertThat(header(preflight, "Access-Control-Allow-Headers")).contains("mcp-protocol-version");
            assertThat(ask(weir, "GET", WELL_KNOWN + "/mcp", "Origin: https://evil.example\r\n")
                            .status())
                    .isEqualTo(403);
            for (String method : List.of("POST", "DELETE", "PUT", "OPTIONS")) {
                Wire.Answer refused = ask(weir, method, WELL_KNOWN + "/mcp", "Content-Length: 0\r\n");
                assertThat(refused.status()).as(method).isEqualTo(405);
                assertThat(header(refused, "Allow")).isEqualTo("GET, HEAD");
            }
            assertThat(upstream.received()).isEmpty();
        }
    }

    @Test
    void aQuestionForTheHeadIsAnsweredWithoutABody() throws Exception {
        try (RunningWeir weir = weir(List.of());
                Wire wire = weir.wire()) {
            wire.send("HEAD " + WELL_KNOWN + "/mcp HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD " + WELL_KNOWN
                    + "/no HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(wire.head().status()).isEqualTo(200);
            assertThat(wire.head().status()).isEqualTo(404);
        }
    }

    @Test
    void withoutAnIssuerThereIsNothingToReadAndNobodyIsSentThere() throws Exception {
        try (RunningWeir weir = RunningWeir.start(directory, upstream.base());
                Wire wire = weir.wire()) {
            assertThat(ask(weir, "GET", WELL_KNOWN + "/mcp").status()).isEqualTo(404);
            assertThat(ask(weir, "GET", WELL_KNOWN).status()).isEqualTo(404);
            wire.send(post("e30.e30.AAAA", call(1, "T1")));
            assertThat(header(wire.answer(), "WWW-Authenticate"))
                    .isEqualTo("Bearer realm=\"weir\", error=\"invalid_token\","
                            + " error_description=\"no tokens are taken here\"");
        }
    }
}
