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
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A session belongs to whoever opened it, also after Weir has been started anew; anybody else is told that there is none. */
@Timeout(60)
class SessionOwnerTest {

    private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    private static final String[] WITH_PLAIN = {
        "INSERT INTO route (prefix, upstream_url, kind) SELECT '/plain', upstream_url, 'http' FROM route"
                + " WHERE NOT EXISTS (SELECT 1 FROM route WHERE prefix = '/plain')"
    };

    @TempDir
    Path directory;

    private final CountDownLatch end = new CountDownLatch(1);
    private StubUpstream upstream;
    private @Nullable RunningWeir weir;

    @BeforeEach
    void start() throws Exception {
        upstream = new StubUpstream((request, line) -> {
            if (request.requestLine().startsWith("GET")
                    && request.values("Accept").contains("text/event-stream")) {
                line.head("text/event-stream");
                line.chunk("event: endpoint\ndata: /messages?sessionId=abc\n\n");
                end.await();
                line.send("0\r\n\r\n");
            } else {
                line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s-1\r\nContent-Length: "
                        + PONG.length() + "\r\n\r\n" + PONG);
            }
        });
    }

    @AfterEach
    void stop() throws IOException {
        end.countDown();
        if (weir != null) {
            weir.close();
        }
        upstream.close();
    }

    private void startWeir(String... settings) throws Exception {
        if (weir != null) {
            weir.close();
        }
        weir = RunningWeir.startWith(List.of(WITH_PLAIN), directory, upstream.base(), settings);
    }

    private Wire.Answer ask(String request) throws IOException {
        try (Wire wire = new Wire(Objects.requireNonNull(weir).port())) {
            wire.send(request);
            return wire.answer();
        }
    }

    private static String bare(String key, String method, String path, String... headers) {
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key + "\r\n"
                + String.join("", headers) + "\r\n";
    }

    private static String session(String id) {
        return "Mcp-Session-Id: " + id + "\r\n";
    }

    private String open(String key) throws IOException {
        return ask(post(key, call(1, "T2"))).head().values("Mcp-Session-Id").get(0);
    }

    @Test
    void anothersSessionIsNoneAndTheUpstreamNeverHearsOfTheAttempt() throws Exception {
        startWeir();
        String mine = open(K1);
        String others = open(K2);
        assertThat(mine).startsWith("s-1.").isNotEqualTo(others);
        upstream.forget();
        for (String request : List.of(
                post(K2, call(7, "T2"), session(mine)),
                bare(K2, "GET", "/mcp", session(mine), "Accept: text/event-stream\r\n"),
                bare(K2, "GET", "/mcp", session(mine), "Last-Event-ID: 1\r\n"),
                bare(K2, "DELETE", "/mcp", session(mine)),
                post(K2, call(7, "T2"), session(mine + "x")),
                post(K2, call(7, "T2"), session(others.substring(0, 46))),
                post(K2, call(7, "T2"), session("s-1")))) {
            Wire.Answer answer = ask(request);
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.body()).contains("session_not_found");
        }
        assertThat(upstream.received()).isEmpty();
        assertThat(ask(post(K2, call(7, "T2"), session(others))).body()).isEqualTo(PONG);
        assertThat(upstream.received().get(0).values("Mcp-Session-Id")).containsExactly("s-1");
        upstream.forget();
        Wire.Answer plain = ask(bare(K1, "POST", "/plain", session("theirs"), "Content-Length: 0\r\n"));
        assertThat(plain.head().values("Mcp-Session-Id"))
                .as("on a route of kind http it is a header like any other")
                .containsExactly("s-1");
        assertThat(upstream.received().get(0).values("Mcp-Session-Id")).containsExactly("theirs");
    }

    @Test
    void sessionsAndAddressesOfMessagesGoOnAfterWeirWasStartedAnewUnlessItsKeyIsGone() throws Exception {
        startWeir();
        String mine = open(K1);
        String address = addressOfMessages();
        startWeir();
        upstream.forget();
        assertThat(ask(post(K2, call(1, "T2"), session(mine))).status()).isEqualTo(404);
        assertThat(ask(post(K2, call(1, "T2")).replaceFirst("/mcp", address)).status())
                .isEqualTo(404);
        assertThat(upstream.received()).isEmpty();
        assertThat(ask(post(K1, call(1, "T2"), session(mine))).body()).isEqualTo(PONG);
        assertThat(ask(post(K1, call(1, "T2")).replaceFirst("/mcp", address)).status())
                .isEqualTo(200);
        assertThat(upstream.received().get(1).requestLine()).isEqualTo("POST /messages?sessionId=abc HTTP/1.1");
        assertThat(open(K1)).isEqualTo(mine);

        Objects.requireNonNull(weir).sql("DELETE FROM gateway_secret");
        startWeir();
        assertThat(ask(post(K1, call(1, "T2"), session(mine))).status()).isEqualTo(404);
        assertThat(ask(post(K1, call(1, "T2"), session(open(K1)))).status()).isEqualTo(200);
    }

    private String addressOfMessages() throws IOException {
        try (Wire stream = Objects.requireNonNull(weir).wire()) {
            stream.send(bare(K1, "GET", "/mcp", "Accept: text/event-stream\r\n"));
            assertThat(stream.head().status()).isEqualTo(200);
            String event = stream.textChunk();
            return event.substring("event: endpoint\ndata: ".length(), event.length() - 2);
        }
    }

    @Test
    void anAnonymousCallersSessionBelongsToWhomItIsCountedAs() throws Exception {
        startWeir("mcp.auth.required", "false", "mcp.rate-limit.key-strategy", "ip_user_agent");
        String keyed = post(K1, call(1, "T2"), "User-Agent: a\r\n");
        String anonymous = keyed.replaceFirst("Authorization[^\n]*\n", "");
        String mine = ask(anonymous).head().values("Mcp-Session-Id").get(0);
        String again = anonymous.replaceFirst("User-Agent", session(mine) + "User-Agent");
        assertThat(ask(again).status()).isEqualTo(200);
        assertThat(ask(again.replace("User-Agent: a", "User-Agent: b")).status())
                .isEqualTo(404);
        assertThat(ask(keyed.replaceFirst("User-Agent", session(mine) + "User-Agent"))
                        .status())
                .isEqualTo(404);
    }
}
