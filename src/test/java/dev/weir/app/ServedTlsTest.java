package dev.weir.app;

import static dev.weir.app.RunningWeir.K1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.settings.SettingsException;
import dev.weir.wire.Identity;
import dev.weir.wire.StubUpstream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The embedded server with TLS and HTTP/2, called by the client of the JDK, which speaks both. */
@Timeout(60)
class ServedTlsTest {

    private static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);
    private static final List<String> WIDE =
            List.of("UPDATE tool_tier SET rate_per_second = 1000, burst = 1000, cooldown_seconds = 0");

    @TempDir
    private static Path keys;

    @TempDir
    Path directory;

    private static Identity server;

    private final CountDownLatch more = new CountDownLatch(1);
    private volatile StubUpstream.Behaviour behaviour = (request, line) -> line.json(200, RESULT);
    private StubUpstream upstream;

    @BeforeAll
    static void make() throws Exception {
        server = Identity.make(keys, "server", "ip:127.0.0.1");
    }

    @BeforeEach
    void start() throws IOException {
        upstream = new StubUpstream((request, line) -> behaviour.answer(request, line));
    }

    @AfterEach
    void stop() throws IOException {
        upstream.close();
    }

    private RunningWeir weir(String... settings) throws Exception {
        return RunningWeir.startWith(WIDE, directory, upstream.base(), settings);
    }

    private static HttpClient client(HttpClient.Version version, Identity... believed) throws Exception {
        SSLContext trust = Identity.believing(believed);
        return HttpClient.newBuilder()
                .sslContext(trust)
                .version(version)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
    }

    private static HttpRequest callOf(String scheme, RunningWeir weir) {
        return HttpRequest.newBuilder(URI.create(scheme + "://127.0.0.1:" + weir.port() + "/mcp"))
                .header("Authorization", "Bearer " + K1)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .timeout(Duration.ofSeconds(20))
                .POST(HttpRequest.BodyPublishers.ofString(RunningWeir.call(1, "T1")))
                .build();
    }

    private static HttpResponse<String> call(HttpClient client, String scheme, RunningWeir weir) throws Exception {
        return client.send(callOf(scheme, weir), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void withAKeyStoreTheServerSpeaksHttp2AndHttp1OverTls() throws Exception {
        try (RunningWeir weir = weir(
                "mcp.tls.key-store", server.keyStore().toString(), "mcp.tls.key-store-password", Identity.PASSWORD)) {
            for (HttpClient.Version version : HttpClient.Version.values()) {
                HttpResponse<String> answer = call(client(version, server), "https", weir);
                assertThat(answer.version()).isEqualTo(version);
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.body()).isEqualTo(RESULT);
            }
            assertThat(upstream.received())
                    .hasSize(2)
                    .allSatisfy(request ->
                            assertThat(request.values("X-Forwarded-Proto")).containsExactly("https"));
            HttpClient stranger = HttpClient.newHttpClient();
            assertThatThrownBy(() -> call(stranger, "https", weir)).isInstanceOf(SSLHandshakeException.class);
        }
    }

    @Test
    void anEventReachesAClientOverHttp2BeforeTheNextOneIsThere() throws Exception {
        behaviour = (request, line) -> {
            line.head("text/event-stream");
            line.chunk("data: 1\n\n");
            more.await();
            line.chunk("data: 2\n\n");
            line.send("0\r\n\r\n");
        };
        try (RunningWeir weir = weir("mcp.tls.key-store", server.pem(true).toString())) {
            HttpResponse<InputStream> answer = client(HttpClient.Version.HTTP_2, server)
                    .send(callOf("https", weir), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
            try (BufferedReader events =
                    new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
                assertThat(events.readLine()).isEqualTo("data: 1");
                assertThat(events.readLine()).isEmpty();
                more.countDown();
                assertThat(events.readLine()).isEqualTo("data: 2");
                assertThat(events.readLine()).isEmpty();
                assertThat(events.readLine()).isNull();
            }
        }
    }

    @Test
    void withoutHttp2TlsCarriesHttp1AndNothingElseIsTaken() throws Exception {
        try (RunningWeir weir = weir("mcp.tls.key-store", server.pem(true).toString(), "mcp.http2.enabled", "false")) {
            HttpResponse<String> answer = call(client(HttpClient.Version.HTTP_2, server), "https", weir);
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
            assertThat(answer.body()).isEqualTo(RESULT);
        }
        try (RunningWeir weir = weir("mcp.http2.enabled", "false")) {
            assertThat(begunWithHttp2(weir)).startsWith("HTTP/1.1 ");
        }
    }

    /** The client of the JDK asks for HTTP/2 in its first request, and does not begin with it. */
    @Test
    void withoutTlsHttp2IsForThoseWhoBeginWithIt() throws Exception {
        try (RunningWeir weir = weir()) {
            HttpResponse<String> answer = call(client(HttpClient.Version.HTTP_2), "http", weir);
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
            assertThat(answer.body()).isEqualTo(RESULT);
            assertThat(begunWithHttp2(weir).charAt(3)).as("a frame of settings").isEqualTo('\4');
        }
    }

    /** The first bytes that the server says to somebody who begins with HTTP/2. */
    private static String begunWithHttp2(RunningWeir weir) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), weir.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(PREFACE);
            return new String(socket.getInputStream().readNBytes(9), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void aKeyStoreThatCannotBeUsedStopsTheStart() {
        assertThatThrownBy(() -> weir("mcp.tls.key-store", keys.resolve("none").toString())
                        .close())
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("mcp.tls.key-store names a file that cannot be used");
    }
}
