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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a route of kind http makes of requests and answers, between bare sockets on both sides. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpRouteTest {

    private static final StubUpstream.Behaviour HELLO = (request, line) ->
            line.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello");

    private volatile StubUpstream.Behaviour behaviour = HELLO;
    private StubUpstream upstream;
    private RunningWeir weir;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        upstream = new StubUpstream((request, line) -> behaviour.answer(request, line));
        String url = upstream.base().resolve("/base").toString();
        weir = RunningWeir.startWith(
                List.of(
                        route("/api", url, "unified"),
                        route("/masked", url, "mask_5xx"),
                        route("/open", url, "pass"),
                        route("/few", url, "unified"),
                        route("/fewer", url, "unified"),
                        "INSERT INTO route (prefix, kind, upstream_url, strip_prefix, preserve_host) VALUES ('/whole', 'http', '"
                                + url + "', FALSE, TRUE)",
                        "UPDATE route SET rate_per_second = 0.5, burst = 2 WHERE prefix IN ('/few', '/fewer')"),
                directory,
                upstream.base());
    }

    @BeforeEach
    void begin() {
        behaviour = HELLO;
        upstream.forget();
    }

    @AfterAll
    void stop() throws IOException {
        weir.close();
        upstream.close();
    }

    private static String route(String prefix, String url, String errors) {
        return "INSERT INTO route (prefix, kind, upstream_url, error_mode) VALUES ('" + prefix + "', 'http', '" + url
                + "', '" + errors + "')";
    }

    private static String request(String method, String target, String... headers) {
        return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + K1 + "\r\n"
                + String.join("", headers) + "\r\n";
    }

    private Wire.Answer answer(String request) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send(request);
            return wire.answer();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"})
    void anyMethodPassesWithItsBodyUnread(String method) throws Exception {
        Wire.Answer answer = answer(request(
                        method,
                        "/api/a/b%20c?q=1",
                        "Content-Type: text/x-odd; a=b\r\nContent-Encoding: odd\r\nCookie: s=1\r\n",
                        "Content-Length: 8\r\n")
                + "not json");
        assertThat(answer.body()).isEqualTo("hello");
        StubUpstream.Received received = upstream.received().get(0);
        assertThat(received.requestLine()).isEqualTo(method + " /base/a/b%20c?q=1 HTTP/1.1");
        assertThat(received.body()).isEqualTo("not json");
        assertThat(received.values("Content-Type")).containsExactly("text/x-odd; a=b");
        assertThat(received.values("Content-Encoding")).containsExactly("odd");
        assertThat(received.values("Content-Length")).containsExactly("8");
        assertThat(received.values("Cookie")).containsExactly("s=1");
        assertThat(received.values("Host")).containsExactly(upstream.base().getAuthority());
        assertThat(received.head()).noneMatch(line -> line.contains(K1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRACE", "CONNECT"})
    void whatSpeaksToTheWayItselfNeverPasses(String method) throws Exception {
        assertThat(answer(request(method, "/api/x")).status()).isIn(400, 405);
        assertThat(upstream.received()).isEmpty();
    }

    @Test
    void thePrefixAndTheHostAreKeptWhereTheRowSaysSo() throws Exception {
        assertThat(answer(request("GET", "/whole/a")).status()).isEqualTo(200);
        StubUpstream.Received received = upstream.received().get(0);
        assertThat(received.requestLine()).isEqualTo("GET /base/whole/a HTTP/1.1");
        assertThat(received.values("Host")).containsExactly("localhost");
        assertThat(received.values("X-Forwarded-Host")).containsExactly("localhost");
    }

    @Test
    void aRefusalIsThePlainFormWithTheHeadersOfLimitsAndBringsNoStrike() throws Exception {
        String post = request("POST", "/few/x", "Content-Length: 5\r\n") + "12345";
        try (Wire wire = weir.wire()) {
            for (int n = 0; n < 2; n++) {
                wire.send(post);
                Wire.Answer admitted = wire.answer();
                assertThat(admitted.body()).isEqualTo("hello");
                assertThat(admitted.head().values("X-RateLimit-Limit")).containsExactly("2");
            }
            for (int n = 0; n < 8; n++) {
                wire.send(post);
                Wire.Answer refused = wire.answer();
                assertThat(refused.status()).isEqualTo(429);
                assertThat(refused.body())
                        .matches("\\{\"error\":\"Rate limit exceeded\",\"retry_after\":[12](\\.\\d+)?}");
                assertThat(refused.head().values("Retry-After")).singleElement().isIn("1", "2");
                assertThat(refused.head().values("RateLimit")).hasSize(1);
                assertThat(refused.head().values("X-RateLimit-Remaining")).containsExactly("0");
            }
        }
        assertThat(upstream.received()).hasSize(2);
        assertThat(answer(request("GET", "/api/x")).status())
                .as("neither banned nor struck")
                .isEqualTo(200);
    }

    @Test
    void aBanOfToolsDoesNotConcernItAndABanOfAllIsA403() throws Exception {
        behaviour = (request, line) -> line.json(200, "{}");
        ban("tools");
        await().untilAsserted(() ->
                assertThat(answer(post(K2, call(1, "T1"))).body()).contains("-32030"));
        assertThat(answer(request("GET", "/api/x").replace(K1, K2)).status()).isEqualTo(200);
        ban("all");
        await().untilAsserted(() -> {
            Wire.Answer answer =
                    answer(request("POST", "/api/x", "Content-Length: 2\r\n").replace(K1, K2) + "{}");
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.body()).startsWith("{\"error\":\"Banned\"");
        });
    }

    private void ban(String scope) {
        weir.sql("INSERT INTO ban (principal, scope, expires_at) VALUES ('client:c2', '" + scope
                + "', CURRENT_TIMESTAMP + INTERVAL '1' HOUR)");
    }

    @Test
    void whoHasNoGoodKeyIsToldSoAndItsBodyGoesNowhere() throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send(
                    "POST /api/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(100_000));
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.head().values("WWW-Authenticate")).isNotEmpty();
            wire.send(request("GET", "/api/x"));
            assertThat(wire.answer().body()).isEqualTo("hello");
        }
        assertThat(upstream.received()).hasSize(1);
    }

    @Test
    void requestsAreLoggedAndCountedLikeOthers() throws Exception {
        double before = admitted();
        try (LogLines log = new LogLines(RequestLog.class)) {
            assertThat(answer(request("PUT", "/api/x", "X-Request-ID: r-2\r\nContent-Length: 2\r\n") + "{}")
                            .status())
                    .isEqualTo(200);
            await().until(() -> log.of("request_end", "r-2").size() == 1);
            assertThat(log.of("request_start", "r-2")).hasSize(1);
            var line = log.of("request_end", "r-2").get(0);
            assertThat(LogLines.field(line, "method")).isEqualTo("PUT");
            assertThat(LogLines.field(line, "route")).isEqualTo("/api");
            assertThat(LogLines.field(line, "decision")).isEqualTo("admit");
            assertThat(LogLines.field(line, "status_code")).isEqualTo("200");
            assertThat(LogLines.field(line, "client")).isEqualTo("c1");
        }
        assertThat(admitted()).isEqualTo(before + 1);
    }

    private double admitted() throws IOException {
        return Scrape.of(weir).value("weir_decisions_total{decision=\"admit\",level=\"\"}");
    }

    private static StubUpstream.Behaviour saying(int status, String more, String body) {
        return (request, line) ->
                line.send("HTTP/1.1 " + status + " X\r\nContent-Type: text/html\r\n" + more + "Content-Length: "
                        + body.length() + "\r\n\r\n" + (request.requestLine().startsWith("HEAD") ? "" : body));
    }

    @Test
    void anErrorIsUnifiedAndItsTextIsInTheLogOnly() throws Exception {
        behaviour = saying(
                503, "WWW-Authenticate: Basic\r\nRetry-After: 9\r\nX-Trace: secret\r\n", "<h1>secret at db-7\r\n</h1>");
        try (LogLines log = new LogLines(RequestLog.class)) {
            Wire.Answer answer = answer(request("GET", "/api/x", "X-Request-ID: r-1\r\n"));
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.body())
                    .isEqualTo(
                            "{\"error\":\"backend_error\",\"status\":503,\"message\":\"The server behind this address"
                                    + " answered 503.\",\"requestId\":\"r-1\"}");
            assertThat(answer.head().values("Retry-After")).containsExactly("9");
            assertThat(answer.head().lines()).noneMatch(line -> line.contains("secret") || line.contains("Basic"));
            await().until(() -> log.of("request_error", "r-1").size() == 1);
            assertThat(LogLines.field(log.of("request_error", "r-1").get(0), "failure"))
                    .isEqualTo("the upstream answered 503: <h1>secret at db-7 </h1>");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/api, 404, false",
        "/api, 401, false",
        "/api, 403, false",
        "/api, 500, false",
        "/masked, 404, true",
        "/masked, 401, true",
        "/masked, 500, false",
        "/open, 404, true",
        "/open, 500, true",
        "/open, 403, true"
    })
    void theStatusOfAnErrorIsKeptAndItsBodyIsByTheMode(String route, int status, boolean kept) throws Exception {
        behaviour = saying(status, "WWW-Authenticate: Basic realm=inside\r\n", "<h1>theirs</h1>");
        Wire.Answer answer = answer(request("GET", route + "/x"));
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.head().values("WWW-Authenticate")).isEmpty();
        assertThat(answer.body().equals("<h1>theirs</h1>")).isEqualTo(kept);
        assertThat(answer.body().contains("\"error\":\"backend_error\"")).isNotEqualTo(kept);
    }

    @Test
    void anErrorWithoutEndIsNotWaitedFor() throws Exception {
        behaviour = (request, line) -> {
            line.send("HTTP/1.1 500 X\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n");
            while (true) {
                line.chunk("x".repeat(10_000));
            }
        };
        assertThat(answer(request("GET", "/api/x")).status()).isEqualTo(500);
    }

    /** Case O18: a redirect is never followed, and leads to public addresses only. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "/api/x | UPSTREAM/base/y?a=b#c | /api/y?a=b#c",
                "/api/x | /base/y/ | /api/y/",
                "/api/x | y | /api/y",
                "/api/x | ?p=2 | /api/x?p=2",
                "/api/x | UPSTREAM/base | /api",
                "/api/x | /base/../base/z | /api/z",
                "/api/x | /elsewhere | -",
                "/api/x | /basement | -",
                "/api/x | /base/../admin | -",
                "/api/x | http://u.internal:8080/base/y | -",
                "/api/x | http://169.254.169.254/ | -",
                "/api/x | //u.internal/base/y | -",
                "/api/x | http://localhost/base/y | -",
                "/api/x | https://user@127.0.0.1/base | -",
                "/api/x | http://[ | -",
                "/whole/x | https://localhost/base/whole/y | /whole/y",
                "/whole/x | /base/other/y | -"
            })
    void aRedirectLeadsToThePublicAddressOrNowhere(String path, String location, String shown) throws Exception {
        String origin = "http://" + upstream.base().getAuthority();
        behaviour = saying(307, "Location: " + location.replace("UPSTREAM", origin) + "\r\n", "");
        Wire.Answer answer = answer(request("POST", path, "Content-Length: 2\r\n") + "{}");
        if (shown == null) {
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.head().values("Location")).isEmpty();
        } else {
            assertThat(answer.status()).isEqualTo(307);
            assertThat(answer.head().values("Location")).containsExactly(shown);
        }
        assertThat(upstream.received()).hasSize(1);
    }

    @Test
    void whatWasMadeIsToldUnderItsPublicAddressOrWithoutOne() throws Exception {
        behaviour = saying(201, "Location: /base/things/7\r\nContent-Location: http://u.internal/things/7\r\n", "");
        Wire.Answer answer = answer(request("POST", "/api/things", "Content-Length: 2\r\n") + "{}");
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.head().values("Location")).containsExactly("/api/things/7");
        assertThat(answer.head().values("Content-Location")).isEmpty();
    }

    /** Case O40 on routes of kind http: the length that was named passes, no byte of a body does, and the next call is whole. */
    @Test
    void aHeadIsAnsweredWithoutABodyAndTheNextCallOnTheConnectionIsWhole() throws Exception {
        behaviour = (request, line) -> {
            if (request.requestLine().startsWith("HEAD")) {
                boolean error = request.requestLine().contains("/missing");
                line.send("HTTP/1.1 " + (error ? 404 : 200) + " X\r\nContent-Type: text/plain\r\n"
                        + (request.requestLine().contains("/unknown") ? "" : "Content-Length: 100\r\n") + "\r\n");
            } else {
                HELLO.answer(request, line);
            }
        };
        try (Wire wire = weir.wire()) {
            wire.send(request("HEAD", "/api/x"));
            Wire.Head head = wire.head();
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.values("Content-Length")).containsExactly("100");
            wire.send(request("GET", "/api/x"));
            assertThat(wire.answer().body()).isEqualTo("hello");
            wire.send(request("HEAD", "/api/unknown"));
            assertThat(wire.head().values("Content-Length")).isEmpty();
            wire.send(request("HEAD", "/api/missing"));
            assertThat(wire.head().status()).isEqualTo(404);
            wire.send(request("HEAD", "/fewer/x") + request("HEAD", "/fewer/x") + request("HEAD", "/fewer/x"));
            assertThat(List.of(
                            wire.head().status(),
                            wire.head().status(),
                            wire.head().status()))
                    .containsExactly(200, 200, 429);
            wire.send(request("GET", "/api/x"));
            assertThat(wire.answer().body()).isEqualTo("hello");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 304})
    void anAnswerThatHasNoBodyByItsStatusPasses(int status) throws Exception {
        behaviour = (request, line) -> line.send("HTTP/1.1 " + status + " X\r\nETag: \"e\"\r\n\r\n");
        try (Wire wire = weir.wire()) {
            wire.send(request("GET", "/api/x", "If-None-Match: \"e\"\r\n"));
            Wire.Head head = wire.head();
            assertThat(head.status()).isEqualTo(status);
            assertThat(head.values("ETag")).containsExactly("\"e\"");
            behaviour = HELLO;
            wire.send(request("GET", "/api/x"));
            assertThat(wire.answer().body()).isEqualTo("hello");
        }
    }

    /** Case O41 on routes of kind http: what could be read in two ways is no path, and what cannot is passed as it was sent. */
    @ParameterizedTest
    @CsvSource({
        "/api/%C3%A4, 200",
        "/api/a%22b, 200",
        "/api/%41, 404",
        "/api/%2e%2e/x, 404",
        "/api/a%2fb, 404",
        "/api/a%5cb, 404",
        "/api/a%25b, 404",
        "/api/a%3bb, 404",
        "/api/a%0ab, 404",
        "/api/a;b, 404",
        "/%61pi/x, 404"
    })
    void anEscapedPathPassesIfItHasOneMeaning(String path, int status) throws Exception {
        Wire.Answer answer = answer(request("GET", path));
        assertThat(answer.status()).isIn(status, status == 404 ? 400 : 200);
        if (status == 200) {
            assertThat(upstream.received().get(0).requestLine()).contains(path.substring(4));
        } else {
            assertThat(upstream.received()).isEmpty();
        }
    }
}
