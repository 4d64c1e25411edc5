package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.StubUpstream;
import dev.weir.wire.Wire;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What stands on the wire, at the upstream and at the client. */
class ProxyHeadersTest {

    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

    private static final String TELLTALE_ANSWER = """
            HTTP/1.1 404 Not Found
            Connection: X-Named
            X-Named: secret
            Keep-Alive: timeout=secret
            WWW-Authenticate: Bearer secret
            Server: secret
            Location: http://secret/
            Access-Control-Allow-Origin: secret
            Access-Control-Allow-Credentials: secret
            X-Request-ID: secret
            RateLimit: secret
            RateLimit-Policy: secret
            X-RateLimit-Limit: secret
            Alt-Svc: secret
            Proxy-Authenticate: secret
            Set-Cookie: a=1
            Set-Cookie: b=2
            Content-Type: application/json; charset=utf-8
            Date: Tue, 01 Dec 2026 00:00:00 GMT
            Retry-After: 7
            Content-Length: 2

            {}""";

    /** Case O35 on routes of MCP, on the way up. */
    @Test
    void theUpstreamSeesNoCredentialsAndNothingOfTheFirstHop() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> line.json(200, "{}"));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(
                    CALL,
                    "Authorization: Bearer secret\r\nCookie: a=secret\r\nDPoP: secret\r\nX-API-Key: secret\r\n",
                    "Proxy-Authorization: Basic secret\r\nProxy-Connection: secret\r\n",
                    "Connection: keep-alive, X-Named\r\nX-Named: secret\r\nKeep-Alive: timeout=secret\r\n",
                    "TE: trailers\r\nForwarded: for=secret\r\nX-Real-IP: secret\r\n",
                    "X-Forwarded-For: secret\r\nX-Forwarded-Proto: secret\r\nX-Forwarded-Host: secret\r\n",
                    "X-Forwarded-Port: secret\r\nX-Weir-Client: secret\r\nX-Request-ID: secret\r\n",
                    "Mcp-Method: secret\r\nMcp-Name: secret\r\n",
                    "Test-Request-Id: req-77\r\nVia: 1.0 first\r\nX-Kept: one\r\nX-Kept: two\r\n",
                    "Accept: application/json\r\nAccept: text/event-stream\r\nUser-Agent: agent/1\r\n");
            assertThat(client.answer().status()).isEqualTo(200);
            StubUpstream.Received received = upstream.received().get(0);
            assertThat(received.head()).noneMatch(line -> line.contains("secret"));
            assertThat(names(received.head()))
                    .doesNotContain("connection", "te", "cookie", "authorization", "keep-alive", "x-forwarded-port");
            assertThat(received.values("Host")).containsExactly(upstream.base().getAuthority());
            assertThat(received.values("Content-Type")).containsExactly("application/json");
            assertThat(received.values("Content-Length")).containsExactly(String.valueOf(CALL.length()));
            assertThat(received.values("Accept")).containsExactly("application/json", "text/event-stream");
            assertThat(received.values("X-Kept")).containsExactly("one", "two");
            assertThat(received.values("User-Agent")).containsExactly("agent/1");
            assertThat(received.values("X-Forwarded-For")).containsExactly("127.0.0.1");
            assertThat(received.values("X-Forwarded-Proto")).containsExactly("http");
            assertThat(received.values("X-Forwarded-Host")).containsExactly("front.example");
            assertThat(received.values("X-Request-ID")).containsExactly("req-77");
            assertThat(received.values("Via")).containsExactly("1.0 first", "1.1 weir");
        }
    }

    @Test
    void aPlainRequestGainsNothingButWhatTheGatewayAdds() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> line.json(200, "{}"));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.request("GET", "/mcp");
            assertThat(client.answer().status()).isEqualTo(200);
            assertThat(names(upstream.received().get(0).head()))
                    .containsExactlyInAnyOrder(
                            "host", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "via", "x-request-id");
        }
    }

    @Test
    void aModernMessageKeepsItsRoutingHeaders() throws Exception {
        try (StubUpstream upstream = new StubUpstream((request, line) -> line.json(200, "{}"));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL, "Test-Modern: 1\r\nMcp-Method: ping\r\nMcp-Name: n\r\nMcp-Param-X: 1\r\n");
            assertThat(client.answer().status()).isEqualTo(200);
            StubUpstream.Received received = upstream.received().get(0);
            assertThat(received.values("Mcp-Method")).containsExactly("ping");
            assertThat(received.values("Mcp-Name")).containsExactly("n");
            assertThat(received.values("Mcp-Param-X")).containsExactly("1");
        }
    }

    /** Case O35 on routes of MCP, on the way down. */
    @Test
    void theClientSeesNothingThatOnlyTheGatewayMaySay() throws Exception {
        try (StubUpstream upstream =
                        new StubUpstream((request, line) -> line.send(TELLTALE_ANSWER.replace("\n", "\r\n")));
                Front front = Front.to(upstream.base());
                Wire client = new Wire(front.port())) {
            client.post(CALL);
            Wire.Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.body()).isEqualTo("{}");
            Wire.Head head = answer.head();
            assertThat(head.lines()).noneMatch(line -> line.contains("secret"));
            assertThat(head.values("Set-Cookie")).containsExactly("a=1", "b=2");
            assertThat(head.values("Retry-After")).containsExactly("7");
            assertThat(head.values("Date")).containsExactly("Tue, 01 Dec 2026 00:00:00 GMT");
            assertThat(head.values("Content-Type"))
                    .singleElement()
                    .satisfies(type -> assertThat(type.replace(" ", "").toLowerCase(Locale.ROOT))
                            .isEqualTo("application/json;charset=utf-8"));
            assertThat(head.values("Access-Control-Allow-Origin")).containsExactly("https://front.example");
            assertThat(head.values("X-Set-By-A-Filter")).containsExactly("yes");
        }
    }

    private static List<String> names(List<String> head) {
        return head.stream()
                .skip(1)
                .map(line -> line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT))
                .toList();
    }
}
