package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static dev.weir.app.RunningWeir.K2;
import static dev.weir.app.RunningWeir.call;
import static dev.weir.app.RunningWeir.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases O56, O57 and O58: what a page on another origin can send and read. The page sends {@code Origin}, as browsers do. */
@Timeout(60)
class CorsTest {

    private static final String PAGE = "https://app.test";
    private static final String ORIGIN = "Origin: " + PAGE + "\r\n";

    @TempDir
    static Path directory;

    private static StubUpstream upstream;
    private static StubUpstream silent;
    private static RunningWeir weir;

    /** Routes that fail in their own ways, and refusals in the form that uses HTTP's statuses; c2 will be banned. */
    @BeforeAll
    static void start() throws Exception {
        upstream = new StubUpstream((request, line) -> {
            String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
            line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s-1\r\n"
                    + "Access-Control-Allow-Origin: *\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        });
        silent = new StubUpstream((request, line) -> line.isLeft());
        weir = RunningWeir.startWith(
                List.of(
                        "UPDATE route SET refusal_form = 'http_429' WHERE prefix = '/mcp'",
                        "UPDATE tool_tier SET rate_per_second = 0.001, cooldown_seconds = 0 WHERE name = 'heavy'",
                        "INSERT INTO route (prefix, upstream_url) VALUES ('/forms', '" + upstream.base() + "')",
                        "INSERT INTO tool (route, name, tier) VALUES ('/forms', 'T1', 'heavy')",
                        "INSERT INTO route (prefix, upstream_url, breaker_enabled)"
                                + " VALUES ('/dead', 'http://127.0.0.1:1/mcp', FALSE)",
                        "INSERT INTO route (prefix, upstream_url, breaker_failures)"
                                + " VALUES ('/open', 'http://127.0.0.1:1/mcp', 1)",
                        "INSERT INTO route (prefix, upstream_url, first_byte_timeout_ms) VALUES ('/slow', '"
                                + silent.base() + "', 100)",
                        "INSERT INTO route (prefix, upstream_url, kind) VALUES ('/plain', '" + upstream.base()
                                + "', 'http')"),
                directory,
                upstream.base(),
                "mcp.allowed-origins",
                PAGE,
                "mcp.allowed-headers",
                "X-Team,x-shard",
                "mcp.max-body-bytes",
                "2048");
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < 12; i++) {
                ask(wire, post(K2, call(1, "T1")));
            }
        }
    }

    @AfterAll
    static void stop() throws IOException {
        weir.close();
        upstream.close();
        silent.close();
    }

    private static Wire.Answer ask(Wire wire, String request) throws IOException {
        wire.send(request);
        return wire.answer();
    }

    private static String at(String path, String request) {
        return request.replaceFirst("/mcp", path);
    }

    /** Requests by what becomes of them, each with the status that it is answered with. */
    private static Map<String, String> refused() {
        String call = post(K1, call(1, "echo"));
        Map<String, String> requests = new LinkedHashMap<>();
        requests.put("401 no key", call.replaceAll("Authorization: [^\r]*\r\n", ""));
        requests.put("401 bad key", post("wrong", call(1, "echo")));
        requests.put("403 banned", post(K2, call(1, "T1")));
        requests.put("429 throttled", post(K1, call(1, "T1")));
        requests.put("413 too large", post(K1, call(1, "x".repeat(3_000))));
        requests.put("415 no JSON", call.replace("application/json\r\nAccept", "text/plain\r\nAccept"));
        requests.put("400 unreadable", post(K1, "{"));
        requests.put("404 no route", at("/nowhere", call));
        requests.put("404 no plain path", at("/mcp/a%7Eb", call));
        requests.put("400 no plain path", at("/mcp//x", call));
        requests.put(
                "404 no metadata", "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
        requests.put("405 on a route of MCP", call.replaceFirst("POST", "PATCH"));
        requests.put("405 on a route of any kind", at("/plain", call).replaceFirst("POST", "TRACE"));
        requests.put("502 nobody there", at("/dead", call));
        requests.put("503 circuit open", at("/open", call));
        requests.put("504 no answer", at("/slow", call));
        requests.put("200 told in JSON-RPC", at("/forms", post(K2, call(1, "T1"))));
        return requests;
    }

    /** O57: what a page cannot read it takes for a broken network. */
    @Test
    void everyRefusalCanBeReadByThePage() throws Exception {
        try (Wire wire = weir.wire()) {
            for (int i = 0; i < 5; i++) {
                ask(wire, post(K1, call(1, "T1")));
                ask(wire, at("/forms", post(K2, call(1, "T1"))));
            }
            ask(wire, at("/open", post(K1, call(1, "echo"))));
        }
        for (Map.Entry<String, String> each : refused().entrySet()) {
            try (Wire wire = weir.wire()) {
                Wire.Answer answer = ask(wire, each.getValue().replaceFirst("\r\n", "\r\n" + ORIGIN));
                assertThat(answer.status() + " " + each.getKey().substring(4)).isEqualTo(each.getKey());
                assertReadable(each.getKey(), answer.head());
            }
        }
    }

    @Test
    void aPageCanReadHowLongToWait() throws Exception {
        try (Wire wire = weir.wire()) {
            Wire.Answer banned = ask(wire, post(K2, call(1, "T1"), ORIGIN));
            assertThat(banned.head().values("Retry-After")).hasSize(1);
            Wire.Answer stranger = ask(wire, post("wrong", call(1, "echo"), ORIGIN));
            assertThat(stranger.head().values("WWW-Authenticate")).hasSize(1);
        }
    }

    private static void assertReadable(String what, Wire.Head head) {
        assertThat(head.values("Access-Control-Allow-Origin")).as(what).containsExactly(PAGE);
        assertThat(head.values("Vary")).as(what).contains("Origin");
        assertThat(names(head, "Access-Control-Expose-Headers"))
                .as(what)
                .contains(
                        "mcp-session-id",
                        "mcp-protocol-version",
                        "last-event-id",
                        "www-authenticate",
                        "retry-after",
                        "ratelimit",
                        "ratelimit-policy",
                        "x-ratelimit-limit",
                        "x-ratelimit-remaining",
                        "x-request-id");
        assertThat(head.values("Access-Control-Allow-Credentials")).as(what).isEmpty();
    }

    private static List<String> names(Wire.Head head, String field) {
        return head.values(field).stream()
                .flatMap(line -> Arrays.stream(line.toLowerCase(Locale.ROOT).split(", ?")))
                .toList();
    }

    /** What the container refuses by itself; no filter sees it. */
    @ParameterizedTest
    @ValueSource(strings = {"GET /mcp/%2e%2e/x HTTP/1.1", "GET /mcp/a%2Fb HTTP/1.1", "GET /mcp/%zz HTTP/1.1"})
    void whatTheServerItselfRefusesCanBeReadAsFarAsItWasRead(String line) throws Exception {
        try (Wire wire = weir.wire()) {
            Wire.Answer answer = ask(wire, line + "\r\nHost: localhost\r\n" + ORIGIN + "\r\n");
            assertThat(answer.status()).isIn(400, 404);
            assertThat(answer.body()).startsWith("{\"error\"");
            if (!answer.head().values("Access-Control-Allow-Origin").isEmpty() || !line.contains("%zz")) {
                assertReadable(line, answer.head());
            }
        }
    }

    @Test
    void beforeThereIsAPolicyAPageCanReadWhy() throws Exception {
        Path elsewhere = directory.resolve("elsewhere");
        try (RunningWeir notReady = RunningWeir.startWith(
                        List.of("INSERT INTO setting (name, content) VALUES ('ban.threshold', 'many')"),
                        elsewhere,
                        upstream.base(),
                        "mcp.allowed-origins",
                        PAGE);
                Wire wire = notReady.wire()) {
            Wire.Answer answer = ask(wire, post(K1, call(1, "echo"), ORIGIN));
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.body()).contains("not_ready");
            assertReadable("not ready", answer.head());
        }
    }

    /** Whatever would have become of it: a page of an origin that is not allowed gets nothing it can read. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: https://evil.test",
                "Origin: null",
                "Origin: *",
                "Origin: http://app.test",
                "Origin: https://app.test:8443",
                "Origin: https://app.test.evil.test",
                "Origin: https://app.test\r\nOrigin: https://app.test",
                "Origin: https://app.test\r\nOrigin: https://evil.test"
            })
    void aForeignPageIsRefusedWithTheSettingAndReadsNothing(String origin) throws Exception {
        try (Wire wire = weir.wire()) {
            for (String request : List.of(post(K1, call(1, "echo")), preflight("/mcp", "POST", "authorization"))) {
                Wire.Answer answer =
                        ask(wire, request.replace(ORIGIN, "").replaceFirst("\r\n", "\r\n" + origin + "\r\n"));
                assertThat(answer.status()).isEqualTo(403);
                assertThat(answer.body()).contains("origin_not_allowed", "MCP_ALLOWED_ORIGINS");
                assertThat(answer.head().lines())
                        .noneMatch(line -> line.toLowerCase(Locale.ROOT).startsWith("access-control-"));
            }
        }
    }

    @Test
    void aForeignHostIsRefusedWithTheSettingWhateverTheOrigin() throws Exception {
        try (Wire wire = weir.wire()) {
            Wire.Answer answer =
                    ask(wire, post(K1, call(1, "echo"), ORIGIN).replace("Host: localhost", "Host: evil.test"));
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.body()).contains("host_not_allowed", "MCP_ALLOWED_HOSTS");
            assertThat(answer.head().values("Access-Control-Allow-Origin")).isEmpty();
        }
    }

    private static String preflight(String path, String method, String headers) {
        return "OPTIONS " + path + " HTTP/1.1\r\nHost: localhost\r\n" + ORIGIN + "Access-Control-Request-Method: "
                + method + "\r\nAccess-Control-Request-Headers: " + headers + "\r\n\r\n";
    }

    /** O56: browsers send no credentials with them, and so they are nobody's, and cost nobody. */
    @Test
    void preflightsAreAnsweredWhoeverIsBannedAndNeverChargedOrSentOn() throws Exception {
        try (Wire wire = weir.wire()) {
            assertThat(ask(wire, post(K2, call(1, "T1"))).body()).contains("-32030");
            int received = upstream.received().size();
            for (int i = 0; i < 100; i++) {
                Wire.Answer answer = ask(
                        wire,
                        preflight(
                                "/mcp",
                                "POST",
                                "authorization,content-type,mcp-session-id,mcp-protocol-version,last-event-id"));
                assertThat(answer.status()).isEqualTo(204);
                assertReadable("preflight", answer.head());
            }
            assertThat(upstream.received()).hasSize(received);
            assertThat(ask(wire, post("wrong", call(1, "echo"))).status())
                    .as("the address has its tokens still")
                    .isEqualTo(401);
        }
    }

    /** O56: nothing but a preflight is treated as one. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "/mcp; ''; 401",
                "/plain; ''; 401",
                "/plain; Access-Control-Request-Method: POST; 401",
                "/plain; Origin: https://app.test; 401",
                "/plain; Origin: https://app.test|Access-Control-Request-Headers: authorization; 401",
                "/mcp; X-API-Key: " + K1 + "; 405",
                "/plain; X-API-Key: " + K1 + "; 200",
            })
    void aPlainOptionsIsARequestLikeAllOthers(String path, String headers, int status) throws Exception {
        try (Wire wire = weir.wire()) {
            String lines = headers.isEmpty() ? "" : headers.replace("|", "\r\n") + "\r\n";
            assertThat(ask(wire, "OPTIONS " + path + " HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n")
                            .status())
                    .isEqualTo(status);
        }
    }

    /** O58: each step of a session, with what the step before has told. */
    @Test
    void aBrowserGetsThroughAWholeSession() throws Exception {
        String second = "accept,authorization,content-type,mcp-session-id,mcp-protocol-version";
        try (Wire wire = weir.wire()) {
            assertAllowed(
                    ask(wire, preflight("/mcp", "POST", "accept,authorization,content-type")),
                    "POST",
                    "authorization,content-type");
            Wire.Answer opened = ask(wire, post(K1, call(1, "echo"), ORIGIN));
            assertReadable("initialize", opened.head());
            String session = opened.head().values("Mcp-Session-Id").get(0);
            assertAllowed(ask(wire, preflight("/mcp", "POST", second)), "POST", second);
            assertAllowed(
                    ask(wire, preflight("/mcp", "GET", second + ",last-event-id")), "GET", second + ",last-event-id");
            assertAllowed(ask(wire, preflight("/mcp", "DELETE", second)), "DELETE", second);
            String modern = second + ",mcp-method,mcp-name,mcp-param-city,mcp-param-region-2";
            assertAllowed(ask(wire, preflight("/mcp", "POST", modern)), "POST", modern);
            for (String method : List.of("GET", "DELETE")) {
                Wire.Answer answer = ask(
                        wire,
                        method + " /mcp HTTP/1.1\r\nHost: localhost\r\n" + ORIGIN + "X-API-Key: " + K1
                                + "\r\nMcp-Session-Id: " + session + "\r\nMcp-Protocol-Version: 2025-11-25\r\n\r\n");
                assertThat(answer.status()).isEqualTo(200);
                assertReadable(method, answer.head());
            }
        }
    }

    private static void assertAllowed(Wire.Answer answer, String method, String headers) {
        assertThat(answer.status()).isEqualTo(204);
        assertThat(names(answer.head(), "Access-Control-Allow-Methods")).contains(method.toLowerCase(Locale.ROOT));
        assertThat(names(answer.head(), "Access-Control-Allow-Headers")).contains(headers.split(","));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/mcp", "/plain"})
    void pagesMaySendWhatTheOperatorAllowsAndNothingElse(String path) throws Exception {
        try (Wire wire = weir.wire()) {
            Wire.Answer answer =
                    ask(wire, preflight(path, "PUT", "X-Team, x-shard, x-evil, cookie, mcp-param-, mcp-param-a*"));
            assertAllowed(answer, "PUT", "x-team,x-shard");
            assertThat(names(answer.head(), "Access-Control-Allow-Headers"))
                    .doesNotContain("x-evil", "cookie", "mcp-param-", "mcp-param-a*", "*");
        }
    }

    /** A page of a public network that asks for an address of a private one is not given leave. */
    @Test
    void thereIsNoLeaveForPrivateNetworks() throws Exception {
        try (Wire wire = weir.wire()) {
            Wire.Answer answer = ask(
                    wire,
                    preflight("/mcp", "POST", "authorization")
                            .replaceFirst("\r\n", "\r\nAccess-Control-Request-Private-Network: true\r\n"));
            assertThat(answer.status()).isEqualTo(204);
            assertThat(answer.head().values("Access-Control-Allow-Private-Network"))
                    .isEmpty();
        }
    }
}
